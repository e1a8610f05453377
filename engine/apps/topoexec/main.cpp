#include <cstdio>

#include "apps/process_start.h"
#include "apps/topoexec/commands.h"
#include "apps/topoexec/flags.h"

namespace {

using millrace::topoexec::Outcome;

// What goes to stdout leaves first, so that both stand in order where they go to one file.
int print(const Outcome& outcome) {
  const bool is_written =
      std::fwrite(outcome.out.data(), 1, outcome.out.size(), stdout) == outcome.out.size() &&
      std::fflush(stdout) == 0;
  if (!is_written) std::perror("topoexec: Standard output cannot be written");
  std::fputs(outcome.err.c_str(), stderr);
  return is_written || outcome.exit_code != 0 ? outcome.exit_code : 1;
}

int run(int argc, char** argv) {
  const auto flags = millrace::topoexec::read_flags(argc, argv);
  if (flags) return print(millrace::topoexec::run_command(*flags));
  const bool is_help = flags.error().exit_code == 0;
  return print({.exit_code = flags.error().exit_code,
                .out = is_help ? flags.error().text : "",
                .err = is_help ? "" : flags.error().text});
}

}  // namespace

int main(int argc, char** argv) { return millrace::apps::run_program("topoexec", run, argc, argv); }
