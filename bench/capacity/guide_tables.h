#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bench/capacity/fleet.h"

namespace millrace::bench {

/// The tables of the guide "grow", as Markdown, played anew. `requests` is the length of each play.
[[nodiscard]] std::string guide_tables(const RequestCost& cost, std::uint64_t requests);

/// Puts `tables` between the two marks of a guide. Fails if it does not have them.
[[nodiscard]] base::Result<std::string> with_tables(std::string_view guide,
                                                    std::string_view tables);
/// Compares what stands between the marks of a guide with `tables`: words must be equal, numbers
/// within one part in a hundred. The error names the first that differs.
[[nodiscard]] base::Status check_tables(std::string_view guide, std::string_view tables);

/// The table of the simulator against queues whose answer is known, and whether all are within two
/// parts in a hundred.
struct TheoryCheck {
  std::string text;
  bool is_good = true;
};
[[nodiscard]] TheoryCheck check_theory(std::uint64_t jobs);

}  // namespace millrace::bench
