#include "apps/process_start.h"
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

int main(int argc, char** argv) { return millrace::apps::run_program("rankd", run, argc, argv); }
