#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace millrace::tasks {

/// Counts made by one call of a body. Each node of a run has its own, so bodies need no
/// synchronisation; the code that runs the plan adds them up.
/// Threading: not shared.
struct TaskStats {
  /// Rows whose expression or fetched value failed (`on_row_error`).
  std::size_t row_errors = 0;
  /// The message of the first of them; empty if there is none.
  std::string first_row_error;
  std::uint64_t store_commands = 0;
  std::uint64_t store_round_trips = 0;
};

}  // namespace millrace::tasks
