#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "bench/rankd/measurements.h"

namespace millrace::bench {
namespace {

constexpr double kStartMsMax = 150;
constexpr std::string_view kRequestLine = "{\"user_id\": 1}\n";

base::Status system_failure(std::string_view what) {
  return base::fail(base::ErrorCode::kUnavailable,
                    base::format("{}: {}", what, std::strerror(errno)));
}

/// Writes copies of complex_dag under different names.
base::Status write_plans(const std::string& folder, int count) {
  std::ifstream source(std::string(MILLRACE_SOURCE_DIR) + "/plans/complex_dag.plan.json");
  const std::string text{std::istreambuf_iterator<char>(source), {}};
  const std::string_view name = "complex_dag";
  const std::size_t place = text.find(name);
  if (place == std::string::npos)
    return base::fail(base::ErrorCode::kNotFound, "No such plan: complex_dag");
  std::filesystem::create_directory(folder);
  for (int index = 0; index < count; ++index) {
    std::string copy = text;
    copy.replace(place, name.size(), base::format("plan_{}", index));
    MR_TRY_STATUS(write_file(base::format("{}/plan_{}.plan.json", folder, index), copy));
  }
  return {};
}

/// Reads until the first line is complete.
bool read_line(int descriptor, std::string& line) {
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count <= 0) return false;
    line.append(buffer.data(), static_cast<std::size_t>(count));
    if (line.find('\n') != std::string::npos) return true;
  }
}

/// Starts rankd, sends one request, and gives the time until the answer in milliseconds.
base::Result<double> time_first_answer(const std::string& root, const std::string& plans) {
  std::array<int, 2> to_child{};
  std::array<int, 2> from_child{};
  if (pipe2(to_child.data(), O_CLOEXEC) != 0 || pipe2(from_child.data(), O_CLOEXEC) != 0)
    return std::unexpected(system_failure("Cannot make a pipe").error());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_child[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from_child[1], STDOUT_FILENO);
  std::array<std::string, 7> words = {
      MILLRACE_RANKD, "--root", root, "--plan_dir", plans, "--plan_name", "plan_7"};
  std::array<char*, 8> arguments{};
  for (std::size_t index = 0; index < words.size(); ++index) arguments[index] = words[index].data();
  const base::TimePoint start = base::steady_clock().now();
  pid_t child = 0;
  errno = posix_spawn(&child, MILLRACE_RANKD, &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(to_child[0]);
  close(from_child[1]);
  if (errno != 0) return std::unexpected(system_failure("Cannot start rankd").error());
  std::string line;
  const bool asked = write(to_child[1], kRequestLine.data(), kRequestLine.size()) > 0;
  const bool answered = asked && read_line(from_child[0], line);
  const base::Duration took = base::steady_clock().now() - start;
  close(to_child[1]);
  close(from_child[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!answered || line.find("\"name\":\"plan_7\"") == std::string::npos)
    return base::fail(base::ErrorCode::kInternal, "rankd gave no answer: " + line);
  return std::chrono::duration<double, std::milli>(took).count();
}

}  // namespace

base::Status measure_start(const Effort& effort, std::vector<Figure>& figures) {
  MR_TRY(const auto folder, TempFolder::make());
  MR_TRY_STATUS(write_project(folder->path(), {}));
  const std::string plans = folder->path() + "/many";
  MR_TRY_STATUS(write_plans(plans, effort.plans));
  std::vector<double> times;
  for (int index = 0; index < effort.processes; ++index) {
    MR_TRY(const double time, time_first_answer(folder->path(), plans));
    times.push_back(time);
  }
  figures.push_back(
      {base::format("{} plans: start of the process to the first answer, median", effort.plans),
       median(times),
       "ms",
       kStartMsMax});
  return {};
}

}  // namespace millrace::bench
