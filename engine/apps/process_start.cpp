#include "apps/process_start.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace millrace::apps {

void reserve_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is given, which is this one. The mode is the wrong one on purpose.
    const bool is_input = descriptor == STDIN_FILENO;
    static_cast<void>(open("/dev/null", is_input ? O_WRONLY : O_RDONLY));
  }
}

int run_program(const std::string& name, int (*run)(int argc, char** argv), int argc, char** argv) {
  reserve_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Nothing of ours throws.
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: out of memory\n", name.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: stopped by an unexpected error: %s\n", name.c_str(), error.what());
  }
  return 1;
}

}  // namespace millrace::apps
