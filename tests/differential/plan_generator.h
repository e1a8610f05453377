#pragma once

#include <cstdint>
#include <string>

namespace millrace::differential {

/// Draws the artifact of a valid plan that reads `data/demo.redis`: fan-outs with and without
/// `carry`, hydrated before and after, concatenated with tags and fanned out again, filtered by
/// `source`, joined, scored and ordered. It keeps its own account of which keys rows have.
[[nodiscard]] std::string draw_plan(const std::string& name, std::uint64_t seed);

}  // namespace millrace::differential
