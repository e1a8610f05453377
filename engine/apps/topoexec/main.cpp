#include <cstdio>

#include "apps/topoexec/commands.h"
#include "apps/topoexec/flags.h"

int main(int argc, char** argv) {
  const auto flags = millrace::topoexec::read_flags(argc, argv);
  if (!flags) {
    std::fputs(flags.error().text.c_str(), flags.error().exit_code == 0 ? stdout : stderr);
    return flags.error().exit_code;
  }
  const millrace::topoexec::Outcome outcome = millrace::topoexec::run_command(*flags);
  std::fwrite(outcome.out.data(), 1, outcome.out.size(), stdout);
  std::fwrite(outcome.err.data(), 1, outcome.err.size(), stderr);
  return outcome.exit_code;
}
