#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/random.h"
#include "random_graph.h"

namespace millrace::graph_reference {

/// Chance, and the optional fields of lanes, triggers and edges that it picks.
/// Threading: not shared.
class RandomFields {
 public:
  explicit RandomFields(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] bool chance(double probability) { return random_.chance(probability); }
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  [[nodiscard]] std::string pick(std::initializer_list<const char*> words) {
    return *(words.begin() + below(words.size()));
  }
  [[nodiscard]] std::string milliseconds_text(std::uint64_t least, std::uint64_t most) {
    return std::to_string(least + below(most - least + 1)) + "ms";
  }
  [[nodiscard]] std::string pick_period() { return pick({"5ms", "10ms", "10ms", "20ms", "7ms"}); }

  void add_grid_fields(LaneModel& lane);
  [[nodiscard]] Fields pick_pool();
  /// `are_timed`: all producers give event timestamps.
  [[nodiscard]] Fields pick_trigger(bool are_timed);
  void add_modifiers(Fields& trigger);
  /// The policy of an edge of that kind, for a consumer whose trigger begins with `trigger`.
  [[nodiscard]] Fields pick_policy(const std::string& kind,
                                   bool allows_latched,
                                   const std::string& trigger);

 private:
  base::SplitMix64 random_;
};

}  // namespace millrace::graph_reference
