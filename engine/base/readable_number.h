#pragma once

#include <string>

namespace millrace::base {

/// Writes a number for people: six digits that count, the whole part never rounded away, no noise
/// of binary fractions (5.3950000000000005 is 5.395). What programs read back is written by
/// write_double instead. Two numbers that differ may look the same, but never stand in the wrong
/// order.
[[nodiscard]] std::string readable_number(double number);

}  // namespace millrace::base
