// Runs the scheduler in virtual time on many random worlds.

#include <cstdint>
#include <optional>
#include <string>

#include "ledger.h"
#include "seed_check.h"
#include "seed_runner.h"

namespace {

std::optional<std::string> check(std::uint64_t seed) {
  const std::optional<millrace::sim::Violation> violation = millrace::sim::check_seed(seed);
  if (!violation) return std::nullopt;
  return violation->statement + ": " + violation->message;
}

}  // namespace

int main(int argument_count, char** arguments) {
  millrace::sim::run_seed_program(
      {.command = "./dev sim", .seed_count = 10'000, .check = check}, argument_count, arguments);
}
