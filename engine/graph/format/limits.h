#pragma once

#include <cstddef>

namespace millrace::graph {

/// Bounds on a graph file, all inclusive.
struct GraphLimits {
  std::size_t text_bytes_max = 1UL << 20;
  std::size_t lanes_max = 256;
  std::size_t components_max = 4096;
  std::size_t edges_max = 8192;
  std::size_t loops_max = 1024;
  std::size_t id_bytes_max = 128;
  std::size_t config_depth_max = 8;
};

/// Values of a document, and of what templates and aliases make of it; a bound on memory only.
inline constexpr std::size_t kDocumentValuesMax = 1'000'000;

}  // namespace millrace::graph
