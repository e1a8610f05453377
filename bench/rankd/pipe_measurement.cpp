#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "bench/rankd/measurements.h"

// What reading requests from stdin and writing answers to stdout costs: `rankd run` and `rankd
// bench` with the same file of requests, in turns, each as a process with its default settings.

namespace millrace::bench {
namespace {

constexpr int kConcurrency = 64;
constexpr std::int64_t kUserCount = 100;
/// `run` has at least 70 % of the rate of `bench`.
constexpr double kBenchOverRunMax = 1 / 0.7;
/// Ten times as many requests take hardly more memory.
constexpr double kMemoryGrowthMax = 1.2;

base::Status cannot(std::string_view what) {
  return base::fail(base::ErrorCode::kUnavailable,
                    base::format("{}: {}", what, std::strerror(errno)));
}

/// What a process took until it ended.
struct ProcessCost {
  double seconds = 0;
  double memory_mb = 0;  ///< the most it ever had
};

/// Runs rankd from one file into another.
base::Result<ProcessCost> run_rankd(std::vector<std::string> words,
                                    const std::string& in,
                                    const std::string& out) {
  words.insert(words.begin(), MILLRACE_RANKD);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kWrite, 0600);
  const base::TimePoint start = base::steady_clock().now();
  pid_t child = 0;
  errno = posix_spawn(&child, MILLRACE_RANKD, &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (errno != 0) return std::unexpected(cannot("Cannot start rankd").error());
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) != child)
    return std::unexpected(cannot("Cannot wait for rankd").error());
  const base::Duration took = base::steady_clock().now() - start;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return base::fail(base::ErrorCode::kInternal, "rankd did not end well: " + words[1]);
  return ProcessCost{.seconds = std::chrono::duration<double>(took).count(),
                     .memory_mb = static_cast<double>(used.ru_maxrss) / 1024};
}

base::Status write_requests(const std::string& path, std::int64_t count) {
  std::string text;
  for (std::int64_t index = 0; index < count; ++index) {
    text += base::format(
        "{{\"request_id\": \"{}\", \"user_id\": {}}}\n", index, 1 + index * 7919 % kUserCount);
  }
  return write_file(path, text);
}

/// Fails unless each request has its answer, in the order of the requests.
base::Status check_order(const std::string& path, std::int64_t count) {
  std::ifstream file(path);
  std::string line;
  std::int64_t index = 0;
  for (; std::getline(file, line); ++index) {
    const std::string begin = base::format("{{\"request_id\":\"{}\"", index);
    if (!line.starts_with(begin) || line.find("\"candidates\":[{") == std::string::npos)
      return base::fail(base::ErrorCode::kInternal, "Not the answer that comes next: " + line);
  }
  if (index == count) return {};
  return base::fail(base::ErrorCode::kInternal,
                    base::format("{} answers are missing", count - index));
}

/// The rate that `rankd bench --format json` reports.
base::Result<double> reported_rate(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  constexpr std::string_view kName = "\"requests_per_s\":";
  const std::size_t place = text.find(kName);
  if (place == std::string::npos)
    return base::fail(base::ErrorCode::kInternal, "rankd bench gave no rate: " + text);
  return std::strtod(text.c_str() + place + kName.size(), nullptr);
}

struct PipeFiles {
  std::string root;
  std::string requests = root + "/requests.jsonl";
  std::string few = root + "/few.jsonl";
  std::string answers = root + "/answers.jsonl";
  std::string report = root + "/report.json";
};

std::vector<std::string> words_for(std::string verb, const PipeFiles& files) {
  return {std::move(verb),
          "--root",
          files.root,
          "--plan_name",
          "complex_dag",
          "--concurrency",
          base::format("{}", kConcurrency)};
}

}  // namespace

base::Status measure_pipe(const Effort& effort, std::vector<Figure>& figures) {
  MR_TRY(const auto folder, TempFolder::make());
  MR_TRY_STATUS(write_project(folder->path(), {}));
  const PipeFiles files{.root = folder->path()};
  const std::int64_t few_count = std::max<std::int64_t>(1, effort.piped_requests / 10);
  MR_TRY_STATUS(write_requests(files.requests, effort.piped_requests));
  MR_TRY_STATUS(write_requests(files.few, few_count));
  const std::vector<std::string> run = words_for("run", files);
  std::vector<std::string> bench = words_for("bench", files);
  const std::string count = base::format("{}", effort.piped_requests);
  for (const std::string& word : {std::string("--count"), count, std::string("--requests")})
    bench.push_back(word);
  for (const std::string& word : {files.requests, std::string("--format"), std::string("json")})
    bench.push_back(word);
  std::vector<double> rates;
  std::vector<double> ratios;
  std::vector<double> growths;
  double memory_mb = 0;
  for (int turn = 0; turn < effort.piped_turns; ++turn) {
    MR_TRY(const ProcessCost piped, run_rankd(run, files.requests, files.answers));
    MR_TRY_STATUS(check_order(files.answers, effort.piped_requests));
    const auto ended = run_rankd(bench, "/dev/null", files.report);
    if (!ended) return std::unexpected(ended.error());
    MR_TRY(const double benched, reported_rate(files.report));
    MR_TRY(const ProcessCost small, run_rankd(run, files.few, files.answers));
    rates.push_back(static_cast<double>(effort.piped_requests) / piped.seconds);
    ratios.push_back(benched / rates.back());
    growths.push_back(piped.memory_mb / small.memory_mb);
    memory_mb = std::max(memory_mb, piped.memory_mb);
  }
  const std::string what = base::format(
      "run, {} requests over stdin, {} at a time", effort.piped_requests, kConcurrency);
  figures.push_back({what + ": rate, start of the process included", median(rates), "1/s"});
  figures.push_back({what + ": rate of bench over it", median(ratios), "x", kBenchOverRunMax});
  figures.push_back({what + ": memory", memory_mb, "MB"});
  figures.push_back(
      {what + ": memory over that of a tenth", median(growths), "x", kMemoryGrowthMax});
  return {};
}

}  // namespace millrace::bench
