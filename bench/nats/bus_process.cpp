#include "bench/nats/bus_process.h"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

namespace millrace::bench {
namespace {

constexpr base::Duration kServerStartMax = std::chrono::seconds(30);
constexpr int kMomentMs = 5;

}  // namespace

base::Result<std::unique_ptr<BusProcess>> BusProcess::start(std::vector<std::string> words,
                                                            const std::string& log_file) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(
      &actions, STDERR_FILENO, log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int problem =
      posix_spawnp(&child, pointers.front(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0)
    return base::fail(base::ErrorCode::kUnavailable, "Cannot start a program", words.front());
  return std::unique_ptr<BusProcess>(new BusProcess(child));
}

BusProcess::~BusProcess() {
  if (has_ended()) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

double BusProcess::cpu_seconds() const {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(process_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

bool BusProcess::has_ended() {
  has_ended_ = has_ended_ || ::waitpid(process_, nullptr, WNOHANG) != 0;
  return has_ended_;
}

void wait_a_moment() { ::poll(nullptr, 0, kMomentMs); }

std::string rankd_program() { return MILLRACE_RANKD; }

base::Result<BusServer> BusServer::start(const std::string& folder) {
  const std::string log_file = folder + "/nats.log";
  BusServer server;
  MR_TRY(server.process,
         BusProcess::start({"nats-server", "-a", "127.0.0.1", "-p", "-1", "-js", "-sd", folder},
                           log_file));
  constexpr std::string_view kSign = "client connections on 127.0.0.1:";
  const base::TimePoint begin = base::steady_clock().now();
  while (base::steady_clock().now() - begin < kServerStartMax && !server.process->has_ended()) {
    std::ifstream file(log_file, std::ios::binary);
    const std::string log{std::istreambuf_iterator<char>(file), {}};
    const std::size_t place = log.find(kSign);
    if (place != std::string::npos && log.find("Server is ready") != std::string::npos) {
      const std::size_t from = place + kSign.size();
      server.url = "nats://127.0.0.1:" + log.substr(from, log.find_first_of("\r\n", from) - from);
      return server;
    }
    wait_a_moment();
  }
  return base::fail(base::ErrorCode::kUnavailable, "nats-server does not start", log_file);
}

base::Result<std::unique_ptr<BusProcess>> start_echo(const BusServer& server,
                                                     std::vector<std::string> words,
                                                     const std::string& folder) {
  words.insert(words.begin(), {MILLRACE_ECHO, server.url});
  return BusProcess::start(std::move(words), folder + "/echo.log");
}

}  // namespace millrace::bench
