#include <cstdio>

#include "apps/rankd/commands.h"
#include "apps/rankd/flags.h"

int main(int argc, char** argv) {
  const auto flags = millrace::rankd::read_flags(argc, argv);
  if (!flags) {
    std::fputs(flags.error().text.c_str(), flags.error().exit_code == 0 ? stdout : stderr);
    return flags.error().exit_code;
  }
  return millrace::rankd::run_command(*flags);
}
