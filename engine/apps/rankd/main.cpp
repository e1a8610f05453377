#include <csignal>
#include <cstdio>

#include "apps/rankd/commands.h"
#include "apps/rankd/flags.h"
#include "apps/rankd/output.h"

int main(int argc, char** argv) {
  millrace::rankd::reserve_standard_descriptors();
  // A reader that went away is a failed write, and is reported as one.
  std::signal(SIGPIPE, SIG_IGN);
  const auto flags = millrace::rankd::read_flags(argc, argv);
  if (!flags) return millrace::rankd::print_early_exit(flags.error());
  return millrace::rankd::run_command(*flags);
}
