#pragma once

#include <cstddef>

namespace millrace::plan {

/// Bounds on an artifact; exceeding one is a `too_large`.
struct ArtifactLimits {
  std::size_t text_bytes_max = 8UL << 20;
  std::size_t node_count_max = 10'000;
  std::size_t input_count_max = 64;  ///< of one node
  std::size_t param_count_max = 64;  ///< of one node
  std::size_t constant_ids_max = 10'000;
  std::size_t output_count_max = 64;
  std::size_t output_key_count_max = 1'000;
  std::size_t name_bytes_max = 128;
  std::size_t string_bytes_max = 64UL << 10;
};

}  // namespace millrace::plan
