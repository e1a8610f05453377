#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/body/message.h"

namespace millrace::graph {

class Engine;

/// An input that a component waits for.
struct MissingInput {
  std::string input;
  std::uint64_t missing_since_epoch = 0;  ///< first epoch without a message on it
};

/// Why a component ran in the last epoch of its domain, or did not.
struct WhyReport {
  std::string component;
  std::uint64_t epoch = 0;
  bool ran = false;
  std::string reason;
  std::optional<std::uint64_t> since = {};  ///< epoch from which on the reason holds
  std::vector<MissingInput> waits_for = {};
  std::optional<Duration> due_at = {};
  std::string lane_state;
};

[[nodiscard]] WhyReport explain_component(const Engine& engine, std::uint32_t component);

}  // namespace millrace::graph
