#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/clock.h"
#include "runtime/admission.h"
#include "runtime/ready_gauge.h"

// Random sequences of operations on the real gate and on a naive model of its contract, which must
// agree after every step on each decision and every count. The model looks at the load every time,
// so it also shows that the gate loses nothing by looking less often.

namespace millrace::runtime {
namespace {

base::TimePoint at(std::int64_t ns) { return base::TimePoint(base::Duration(ns)); }

/// B1 to B4 in the plainest form.
class Model {
 public:
  struct Run {
    std::int64_t node_count = 0;
    bool is_abandoned = false;
  };

  explicit Model(const AdmissionSettings& settings) : settings_(settings) {}

  bool ask(int run, std::int64_t deadline, std::int64_t node_count) {
    const bool admitted = deadline > now && has_room();
    admitted ? ++accepted : ++refused;
    if (admitted) runs[run] = {.node_count = node_count};
    return admitted;
  }
  [[nodiscard]] std::int64_t abandoned() const {
    return std::ranges::count_if(runs, [](const auto& entry) { return entry.second.is_abandoned; });
  }
  /// No more nodes can be ready than the runs have; a run of which a body is left has one less.
  [[nodiscard]] std::int64_t ready_max() const {
    std::int64_t sum = 0;
    for (const auto& [id, run] : runs) sum += run.node_count - (run.is_abandoned ? 1 : 0);
    return sum;
  }

  std::int64_t now = 0;
  std::int64_t ready = 0;
  std::map<int, Run> runs;
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  bool is_open = true;

 private:
  bool has_room() {
    if (static_cast<std::int64_t>(runs.size()) >= settings_.inflight_max) return false;
    const std::int64_t load = ready + abandoned();
    if (load > settings_.high_water) is_open = false;
    if (load < settings_.low_water) is_open = true;
    return is_open;
  }

  AdmissionSettings settings_;
};

class ModelGauge final : public ReadyGauge {
 public:
  explicit ModelGauge(const Model& model) : model_(model) {}
  [[nodiscard]] std::int64_t ready_count() const override { return model_.ready; }

 private:
  const Model& model_;
};

/// Applies the same operation to both and compares.
class Pair {
 public:
  explicit Pair(const AdmissionSettings& settings)
      : model_(settings), gauge_(model_), gate_(Admission::create(settings, gauge_).value()) {}

  void apply(std::uint8_t operation, std::uint8_t argument) {
    switch (operation % 6) {
      case 0:
      case 1:
        ask(argument);
        break;
      case 2:
        model_.ready = argument % 12;
        break;
      case 3:
        release(argument);
        break;
      case 4:
        abandon(argument);
        break;
      default:
        model_.now += argument % 40;
    }
    model_.ready = std::min(model_.ready, model_.ready_max());
  }

  void compare() const {
    const AdmissionStats stats = gate_->stats();
    RC_ASSERT(stats.accepted == model_.accepted);
    RC_ASSERT(stats.refused == model_.refused);
    RC_ASSERT(stats.abandoned_count == model_.abandoned());
    RC_ASSERT(stats.run_count == static_cast<std::int64_t>(model_.runs.size()));
    RC_ASSERT(stats.run_count == static_cast<std::int64_t>(permits_.size()));
  }

 private:
  void ask(std::uint8_t argument) {
    const int run = next_run_++;
    const std::int64_t deadline = model_.now + argument % 16 - 1;
    const bool is_unknown = argument % 5 == 0;
    const std::uint32_t node_count =
        is_unknown ? AdmissionRequest::kUnknownNodes : 1 + argument / 16 % 4;
    auto permit = gate_->try_admit(
        {.now = at(model_.now), .deadline = at(deadline), .node_count = node_count});
    RC_ASSERT(permit.has_value() == model_.ask(run, deadline, is_unknown ? 1000 : node_count));
    if (permit) permits_[run] = *std::move(permit);
  }

  void release(std::uint8_t argument) {
    if (permits_.empty()) return;
    const auto picked = pick(argument);
    model_.runs.erase(picked->first);
    permits_.erase(picked);
  }

  void abandon(std::uint8_t argument) {
    if (permits_.empty()) return;
    const auto picked = pick(argument);
    model_.runs[picked->first].is_abandoned = true;
    picked->second.abandon();
  }

  std::map<int, AdmissionPermit>::iterator pick(std::uint8_t argument) {
    return std::next(permits_.begin(), argument % static_cast<int>(permits_.size()));
  }

  Model model_;
  ModelGauge gauge_;
  std::unique_ptr<Admission> gate_;
  std::map<int, AdmissionPermit> permits_;
  int next_run_ = 0;
};

TEST(AdmissionPropertyTest, B1_B2_B3_B4_AgreesWithTheModelOnEverySequence) {
  const bool holds = rc::check([] {
    const std::int64_t high = *rc::gen::inRange<std::int64_t>(1, 8);
    const AdmissionSettings settings{.high_water = high,
                                     .low_water = *rc::gen::inRange<std::int64_t>(1, high + 1),
                                     .inflight_max = *rc::gen::inRange<std::int64_t>(1, 8)};
    const auto steps = *rc::gen::container<std::vector<std::pair<std::uint8_t, std::uint8_t>>>(
        rc::gen::pair(rc::gen::arbitrary<std::uint8_t>(), rc::gen::arbitrary<std::uint8_t>()));
    Pair pair(settings);
    for (const auto& [operation, argument] : steps) {
      pair.apply(operation, argument);
      pair.compare();
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace millrace::runtime
