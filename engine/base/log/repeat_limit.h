#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"

namespace millrace::base {

struct RepeatLimitOptions {
  /// How many times the same key passes within one window.
  std::uint32_t burst_max = 5;
  Duration window = std::chrono::seconds(1);
  /// Keys remembered at once; the rest share one allowance.
  std::size_t keys_max = 256;
};

/// Holds back what repeats too often, and counts it, so that nothing vanishes silently.
///
/// A window opens with the first use of a key. The first use after its end passes and reports how
/// many were held back in between. Threading: not shared; callers lock.
class RepeatLimit {
 public:
  /// A key and how often it was held back.
  struct Held {
    std::string key;
    std::uint64_t count = 0;
  };

  explicit RepeatLimit(RepeatLimitOptions options = {}) : options_(options) {}

  /// Decides about one use at `now`: nothing if it is held back, else how many were before it.
  [[nodiscard]] std::optional<std::uint64_t> try_pass(std::string_view key, TimePoint now);

  /// Gives and forgets the counts of keys whose window ended by `now` without another use.
  [[nodiscard]] std::vector<Held> take_ended(TimePoint now);

 private:
  struct Window {
    TimePoint start;
    std::uint32_t passed_count = 0;
    std::uint64_t held_count = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  [[nodiscard]] Window& window_of(std::string_view key, TimePoint now);

  RepeatLimitOptions options_;
  std::unordered_map<std::string, Window, Hash, std::equal_to<>> windows_;
};

}  // namespace millrace::base
