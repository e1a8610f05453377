#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "apps/rankd/commands.h"
#include "apps/rankd/flags.h"
#include "apps/rankd/output.h"

namespace {

int run(int argc, char** argv) {
  const auto flags = millrace::rankd::read_flags(argc, argv);
  if (!flags) return millrace::rankd::print_early_exit(flags.error());
  return millrace::rankd::run_command(*flags);
}

}  // namespace

int main(int argc, char** argv) {
  millrace::rankd::reserve_standard_descriptors();
  // A reader that went away is a failed write, and is reported as one.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that may not grow any more.
  std::signal(SIGXFSZ, SIG_IGN);
  // Nothing of ours throws. What a library throws where nobody expected it ends here, with a
  // reason.
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("rankd: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rankd: stopped by an unexpected error: %s\n", error.what());
  }
  return 1;
}
