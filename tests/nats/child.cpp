#include "child.h"

#include <chrono>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace millrace::live {

Child::Child(const std::string& folder, std::vector<std::string> words, const std::string& log) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // it ends if the test dies
    const int file =
        chdir(folder.c_str()) == 0 ? open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file < 0) _exit(126);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  handle_ = pid_ > 0 ? static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)) : -1;
  if (handle_ < 0) throw std::runtime_error("cannot start " + words[0]);
}

Child::~Child() {
  kill();
  close(handle_);
}

void Child::signal(int number) const {
  if (!code_) ::kill(pid_, number);
}

std::optional<int> Child::wait(base::Duration limit) {
  if (code_) return code_;
  pollfd polled{.fd = handle_, .events = POLLIN, .revents = 0};
  const auto span = std::chrono::ceil<std::chrono::milliseconds>(limit);
  if (::poll(&polled, 1, static_cast<int>(span.count())) <= 0) return std::nullopt;
  int status = 0;
  if (waitpid(pid_, &status, 0) == pid_)
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return code_;
}

void Child::kill() {
  signal(SIGKILL);
  (void)wait(std::chrono::seconds(60));
}

}  // namespace millrace::live
