#include "bench/serve/rankd_process.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "bench/serve/client_socket.h"
#include "support/threads.h"

namespace millrace::bench {
namespace {

constexpr base::Duration kStartMax = std::chrono::seconds(60);
constexpr int kLookAgainMs = 10;

std::unexpected<base::Error> failure(std::string_view what) {
  return base::fail(base::ErrorCode::kUnavailable,
                    base::format("{} ({})", what, std::strerror(errno)));
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Starts it where servers belong; -1 for `output` leaves stdout as it is.
base::Result<pid_t> spawn(const RankdOptions& options, int output) {
  std::vector<std::string> words = {MILLRACE_RANKD};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> variables = options.environment;
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(
      &actions, STDERR_FILENO, options.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  // A child begins where the thread is that makes it.
  const std::vector<int> own = usable_processors();
  if (!options.on_all_processors) place_thread(0, placement().servers);
  pid_t child = 0;
  errno = posix_spawn(&child,
                      MILLRACE_RANKD,
                      &actions,
                      nullptr,
                      pointers_to(words).data(),
                      pointers_to(variables).data());
  place_thread(0, own);
  posix_spawn_file_actions_destroy(&actions);
  if (errno != 0) return failure("Cannot start rankd");
  return child;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The port of a listener, from the line of the log that says where it listens; 0: not there yet.
std::uint16_t find_port(std::string_view log, std::string_view listener) {
  const std::string end = base::format("\",\"listener\":\"{}\"", listener);
  const std::size_t place = log.find(end);
  if (place == std::string_view::npos) return 0;
  const std::size_t colon = log.rfind(':', place);
  std::uint16_t port = 0;
  std::from_chars(log.data() + colon + 1, log.data() + place, port);
  return port;
}

}  // namespace

Placement placement() {
  static const std::vector<int> all = usable_processors();
  if (all.size() < 2) return {.client = all, .servers = all};
  return {.client = {all.back()}, .servers = {all.begin(), all.end() - 1}};
}

base::Result<std::unique_ptr<RankdProcess>> RankdProcess::serve(RankdOptions options) {
  options.arguments.insert(
      options.arguments.begin(),
      {"serve", "--port", "0", "--admin", "127.0.0.1:0", "--log_format", "json"});
  MR_TRY(const pid_t process, spawn(options, -1));
  std::unique_ptr<RankdProcess> made(new RankdProcess(process));
  MR_TRY_STATUS(made->await_ready(options.log_file));
  return made;
}

base::Status RankdProcess::await_ready(const std::string& log_file) {
  const base::TimePoint begin = base::steady_clock().now();
  while (base::steady_clock().now() - begin < kStartMax) {
    const std::string log = read_file(log_file);
    port_ = find_port(log, "main");
    admin_port_ = find_port(log, "admin");
    if (port_ != 0 && admin_port_ != 0) {
      const base::Result<Reply> ready = ask(admin_port_, make_request("/readyz", ""));
      if (ready && ready->status == 200) return {};
    }
    if (::waitpid(process_, nullptr, WNOHANG) != 0)
      return base::fail(base::ErrorCode::kUnavailable, "rankd ended at once: " + log);
    ::poll(nullptr, 0, kLookAgainMs);
  }
  return base::fail(base::ErrorCode::kUnavailable, "rankd is not ready: " + read_file(log_file));
}

RankdProcess::~RankdProcess() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

double RankdProcess::cpu_seconds() const {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(process_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double RankdProcess::resident_bytes() const {
  std::ifstream file(base::format("/proc/{}/statm", process_));
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

base::Result<std::string> RankdProcess::metrics() const {
  MR_TRY(Reply reply, ask(admin_port_, make_request("/metrics", "")));
  if (reply.status != 200) return base::fail(base::ErrorCode::kInternal, "No metrics", reply.body);
  return std::move(reply.body);
}

base::Result<std::string> run_rankd(const RankdOptions& options) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failure("Cannot make a pipe");
  const base::Result<pid_t> process = spawn(options, ends[1]);
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t size = 0; (size = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(size));
  ::close(ends[0]);
  if (!process) return std::unexpected(process.error());
  int status = 0;
  ::waitpid(*process, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  return base::fail(
      base::ErrorCode::kInternal,
      base::format(
          "rankd {} failed: {}{}", options.arguments.front(), text, read_file(options.log_file)));
}

std::optional<double> metric_of(std::string_view metrics,
                                std::string_view name,
                                std::string_view labels) {
  std::optional<double> sum;
  while (!metrics.empty()) {
    const std::size_t end = metrics.find('\n');
    const std::string_view line = metrics.substr(0, end);
    metrics.remove_prefix(end == std::string_view::npos ? metrics.size() : end + 1);
    if (!line.starts_with(name)) continue;
    const std::string_view rest = line.substr(name.size());
    if (!rest.starts_with(' ') && !rest.starts_with('{')) continue;
    const std::size_t space = rest.rfind(' ');
    if (rest.substr(0, space).find(labels) == std::string_view::npos) continue;
    sum = sum.value_or(0) + std::strtod(std::string(rest.substr(space + 1)).c_str(), nullptr);
  }
  return sum;
}

}  // namespace millrace::bench
