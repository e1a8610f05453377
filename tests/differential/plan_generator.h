#pragma once

#include <cstdint>
#include <string>

namespace millrace::differential {

/// What `hydrate` nodes of a drawn plan say about the keys they fetch.
enum class FetchedKeys : std::uint8_t {
  kAsDrawn,   ///< some name them, others leave them to the compiler
  kAllNamed,  ///< those that left them to the compiler name all that are stored
};

/// Draws the artifact of a valid plan that reads `load_data`: sources, fan-outs with and without
/// `carry`, hydrated before and after, concatenated with tags and fanned out again, filtered by
/// `source`, joined, scored and ordered. It keeps its own account of which keys rows have.
[[nodiscard]] std::string draw_plan(const std::string& name,
                                    std::uint64_t seed,
                                    FetchedKeys keys = FetchedKeys::kAsDrawn);

/// The same with up to three names of keys replaced by others, so that it may not be valid.
[[nodiscard]] std::string draw_careless_plan(const std::string& name, std::uint64_t seed);

}  // namespace millrace::differential
