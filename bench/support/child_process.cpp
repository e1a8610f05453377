#include "support/child_process.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/result.h"

namespace millrace::bench {
namespace {

constexpr const char* kSelf = "/proc/self/exe";
constexpr int kCannotStart = 127;

std::unexpected<base::Error> system_failure(const std::string& what) {
  return base::fail(base::ErrorCode::kInternal, what + ": " + std::strerror(errno), kSelf);
}

[[noreturn]] void become(const std::vector<std::string>& arguments, int output) {
  std::vector<char*> pointers;
  std::string name = "bench";
  pointers.push_back(name.data());
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  dup2(output, STDOUT_FILENO);
  execv(kSelf, pointers.data());
  _exit(kCannotStart);
}

void read_lines(int input, const std::function<void(std::string_view)>& on_line) {
  FILE* stream = fdopen(input, "r");
  char* line = nullptr;
  std::size_t capacity = 0;
  for (ssize_t length = 0; (length = getline(&line, &capacity, stream)) > 0;) {
    std::string_view text(line, static_cast<std::size_t>(length));
    if (text.ends_with('\n')) text.remove_suffix(1);
    on_line(text);
  }
  std::free(line);
  std::fclose(stream);
}

}  // namespace

base::Status run_self(const std::vector<std::string>& arguments,
                      const std::function<void(std::string_view)>& on_line) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure("Cannot make a pipe");
  const pid_t child = fork();
  if (child < 0) return system_failure("Cannot fork");
  if (child == 0) become(arguments, ends[1]);
  close(ends[1]);
  read_lines(ends[0], on_line);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return system_failure("Cannot wait for the child");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                              : "status " + std::to_string(WEXITSTATUS(status));
  return base::fail(base::ErrorCode::kInternal, "The measuring process ended with " + how, kSelf);
}

}  // namespace millrace::bench
