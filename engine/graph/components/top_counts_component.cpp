#include "graph/components/top_counts_component.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/body/message.h"
#include "graph/components/config_reading.h"
#include "graph/payload.h"

namespace millrace::graph {
namespace {

/// The window moves in steps of a sixtieth, so that it needs one counter per key and step and not
/// one time per message.
constexpr std::int64_t kWindowSteps = 60;
constexpr std::string_view kTickInput = "tick";

/// `core.top_counts`: how often each value of a field came within the window. What it publishes is
/// an object, the largest count first; equal counts are in order of their keys.
class TopCountsComponent final : public Component {
 public:
  base::Status configure(const ComponentSetup& setup) override {
    const Payload* by = setup.config.find_member("by");
    const base::MutexLock lock(mutex_);
    if (by != nullptr) by_ = std::string(by->find_text().value_or(""));
    step_ = read_duration(setup.config, "window", std::chrono::minutes(1)) / kWindowSteps;
    top_ = static_cast<std::size_t>(read_int(setup.config, "top", 100));
    keys_max_ = static_cast<std::size_t>(read_int(setup.config, "keys_max", 100'000));
    tick_ = setup.find_input(kTickInput);
    output_ = setup.find_output("out");
    if (step_ > Duration::zero()) return {};
    return base::fail(base::ErrorCode::kInvalidArgument, "The window must be at least 60ns long");
  }

  base::Status check_update(const Payload&) const override { return {}; }
  base::Status apply_update(const Payload& config) override {
    const base::MutexLock lock(mutex_);
    top_ = static_cast<std::size_t>(read_int(config, "top", 100));
    keys_max_ = static_cast<std::size_t>(read_int(config, "keys_max", 100'000));
    return {};
  }
  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    const base::MutexLock lock(mutex_);
    const std::int64_t now = context.now() / step_;
    forget_before(now - kWindowSteps + 1);
    for (const InputMessage& input : invocation.messages()) {
      if (input.input == tick_) continue;
      if (std::optional<std::string> key = key_of(input.message.value)) count(*std::move(key), now);
    }
    if (output_) context.publish(*output_, top());
    return {};
  }

 private:
  struct Step {
    std::int64_t number = 0;
    std::unordered_map<std::string, std::int64_t> counts = {};
  };

  /// The text that a message is counted under; nothing if it has none.
  [[nodiscard]] std::optional<std::string> key_of(const Payload& message) const
      MR_REQUIRES(mutex_) {
    const Payload* const value = by_ ? message.find_member(*by_) : &message;
    if (value == nullptr) return std::nullopt;
    if (const auto text = value->find_text()) return std::string(*text);
    if (const auto integer = value->find_int()) return std::to_string(*integer);
    return std::nullopt;
  }

  void count(std::string key, std::int64_t now) MR_REQUIRES(mutex_) {
    const auto total = totals_.find(key);
    if (total == totals_.end() && totals_.size() >= keys_max_) return;
    if (total == totals_.end()) {
      totals_.emplace(key, 1);
    } else {
      ++total->second;
    }
    if (steps_.empty() || steps_.back().number != now) steps_.push_back({.number = now});
    ++steps_.back().counts[std::move(key)];
  }

  /// Takes back what older steps have counted.
  void forget_before(std::int64_t first) MR_REQUIRES(mutex_) {
    while (!steps_.empty() && steps_.front().number < first) {
      for (const auto& [key, count] : steps_.front().counts) {
        const auto total = totals_.find(key);
        total->second -= count;
        if (total->second == 0) totals_.erase(total);
      }
      steps_.pop_front();
    }
  }

  [[nodiscard]] Payload top() const MR_REQUIRES(mutex_) {
    std::vector<std::pair<std::int64_t, std::string_view>> largest;
    largest.reserve(totals_.size());
    for (const auto& [key, count] : totals_) largest.emplace_back(-count, key);
    const auto end = largest.begin() + static_cast<std::ptrdiff_t>(std::min(top_, largest.size()));
    std::ranges::partial_sort(largest, end);
    std::vector<PayloadMember> members;
    for (auto entry = largest.begin(); entry != end; ++entry) {
      members.push_back({.name = std::string(entry->second), .value = Payload(-entry->first)});
    }
    return Payload::object(std::move(members));
  }

  base::Mutex mutex_;
  std::optional<std::string> by_ MR_GUARDED_BY(mutex_);
  Duration step_ MR_GUARDED_BY(mutex_){};
  std::size_t top_ MR_GUARDED_BY(mutex_) = 0;
  std::size_t keys_max_ MR_GUARDED_BY(mutex_) = 0;
  std::optional<std::uint32_t> tick_ MR_GUARDED_BY(mutex_);
  std::optional<std::uint32_t> output_ MR_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::int64_t> totals_ MR_GUARDED_BY(mutex_);
  std::deque<Step> steps_ MR_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace

ComponentFactory top_counts_factory() {
  return [] { return std::make_unique<TopCountsComponent>(); };
}

}  // namespace millrace::graph
