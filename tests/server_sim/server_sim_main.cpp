// Runs the server in virtual time on many random worlds.

#include <cstdint>
#include <optional>
#include <string>

#include "judge.h"
#include "seed_runner.h"
#include "server_world.h"

namespace {

std::optional<std::string> check(std::uint64_t seed) {
  const auto violation = millrace::server_sim::check_seed(seed);
  if (!violation) return std::nullopt;
  return violation->statement + ": " + violation->message;
}

}  // namespace

int main(int argument_count, char** arguments) {
  millrace::sim::run_seed_program(
      {.command = "./dev sim --server", .seed_count = 1000, .check = check},
      argument_count,
      arguments);
}
