#include "seed_runner.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace millrace::sim {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

struct Arguments {
  std::uint64_t first_seed = 0;
  std::uint64_t seed_count = 0;
  std::uint64_t jobs = std::max(1U, std::thread::hardware_concurrency());
};

void print_help(const SeedProgram& program) {
  const int width = static_cast<int>(program.command.size());
  const char* const command = program.command.data();
  std::printf(
      "Usage: %.*s [--seeds N] [--from S0] [--jobs J]   check N worlds from seed S0 (default %llu, "
      "0)\n"
      "       %.*s --seed S                             check one world\n"
      "Exit code: 0 every statement held, 1 a seed failed, 2 wrong usage.\n",
      width,
      command,
      static_cast<unsigned long long>(program.seed_count),
      width,
      command);
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Arguments> parse(std::uint64_t seed_count, int argument_count, char** arguments) {
  Arguments parsed{.seed_count = seed_count};
  for (int index = 1; index < argument_count; index += 2) {
    const std::string_view name = arguments[index];
    const auto value =
        index + 1 < argument_count ? parse_number(arguments[index + 1]) : std::nullopt;
    if (!value) return std::nullopt;
    if (name == "--seeds") {
      parsed.seed_count = *value;
    } else if (name == "--from") {
      parsed.first_seed = *value;
    } else if (name == "--jobs" && *value > 0) {
      parsed.jobs = *value;
    } else if (name == "--seed") {
      parsed.first_seed = *value;
      parsed.seed_count = 1;
    } else {
      return std::nullopt;
    }
  }
  return parsed;
}

void show_progress(std::uint64_t done, const Arguments& arguments) {
  std::fprintf(stderr,
               "\r%llu / %llu seeds",
               static_cast<unsigned long long>(done),
               static_cast<unsigned long long>(arguments.seed_count));
}

// Checks every `jobs`-th seed, beginning with the one of this job.
int check_share(const SeedProgram& program, const Arguments& arguments, std::uint64_t job) {
  const bool shows_progress = job == 0 && isatty(STDERR_FILENO) != 0;
  for (std::uint64_t offset = job; offset < arguments.seed_count; offset += arguments.jobs) {
    const std::uint64_t seed = arguments.first_seed + offset;
    if (shows_progress && offset % (512 * arguments.jobs) == 0) show_progress(offset, arguments);
    const std::optional<std::string> problem = program.check(seed);
    if (!problem) continue;
    std::printf("seed %llu breaks %s\n  %.*s --seed %llu\n",
                static_cast<unsigned long long>(seed),
                problem->c_str(),
                static_cast<int>(program.command.size()),
                program.command.data(),
                static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    return kFailed;
  }
  if (shows_progress) std::fputs("\r", stderr);
  return EXIT_SUCCESS;
}

// Uses processes, not threads: a world that is alone in its process needs no real fences.
int check_all(const SeedProgram& program, const Arguments& arguments) {
  if (arguments.seed_count == 1) return check_share(program, arguments, 0);
  std::vector<pid_t> children;
  for (std::uint64_t job = 0; job < arguments.jobs; ++job) {
    const pid_t child = fork();
    if (child == 0) std::_Exit(check_share(program, arguments, job));
    if (child > 0) children.push_back(child);
  }
  bool all_fine = children.size() == arguments.jobs;
  for (const pid_t child : children) {
    int status = 0;
    all_fine &= waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                WEXITSTATUS(status) == EXIT_SUCCESS;
  }
  return all_fine ? EXIT_SUCCESS : kFailed;
}

}  // namespace

void run_seed_program(const SeedProgram& program, int argument_count, char** arguments) {
  if (argument_count == 2 && std::string_view(arguments[1]) == "--help") {
    print_help(program);
    std::fflush(stdout);
    std::_Exit(EXIT_SUCCESS);
  }
  const std::optional<Arguments> parsed = parse(program.seed_count, argument_count, arguments);
  if (!parsed) {
    print_help(program);
    std::fflush(stdout);
    std::_Exit(kWrongUsage);
  }
  const auto start = std::chrono::steady_clock::now();
  const int result = check_all(program, *parsed);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (result == EXIT_SUCCESS) {
    std::printf("%llu seeds from %llu: every statement held (%.1f s, %.0f seeds/s)\n",
                static_cast<unsigned long long>(parsed->seed_count),
                static_cast<unsigned long long>(parsed->first_seed),
                elapsed.count(),
                static_cast<double>(parsed->seed_count) / elapsed.count());
  }
  std::fflush(stdout);
  // A failed world cannot be destroyed, so end the process without running destructors.
  std::_Exit(result);
}

}  // namespace millrace::sim
