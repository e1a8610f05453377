#include "base/log/repeat_limit.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace millrace::base {
namespace {

// Stands for all keys beyond keys_max. No event has this name: they are snake_case.
constexpr std::string_view kOverflowKey = "(other events)";

}  // namespace

std::optional<std::uint64_t> RepeatLimit::try_pass(std::string_view key, TimePoint now) {
  Window& window = window_of(key, now);
  if (now - window.start >= options_.window) {
    const std::uint64_t held_count = window.held_count;
    window = Window{.start = now, .passed_count = 1};
    return held_count;
  }
  if (window.passed_count < options_.burst_max) {
    ++window.passed_count;
    return 0;
  }
  ++window.held_count;
  return std::nullopt;
}

std::vector<RepeatLimit::Held> RepeatLimit::take_ended(TimePoint now) {
  std::vector<Held> ended;
  for (auto entry = windows_.begin(); entry != windows_.end();) {
    if (entry->second.start > now - options_.window) {
      ++entry;
      continue;
    }
    if (entry->second.held_count > 0) ended.push_back({entry->first, entry->second.held_count});
    entry = windows_.erase(entry);
  }
  return ended;
}

RepeatLimit::Window& RepeatLimit::window_of(std::string_view key, TimePoint now) {
  auto entry = windows_.find(key);
  if (entry == windows_.end()) {
    const std::string_view kept = windows_.size() < options_.keys_max ? key : kOverflowKey;
    entry = windows_.try_emplace(std::string(kept), Window{.start = now}).first;
  }
  return entry->second;
}

}  // namespace millrace::base
