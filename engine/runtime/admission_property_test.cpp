#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/clock.h"
#include "runtime/admission.h"
#include "runtime/ready_gauge.h"

// Random sequences of operations on the real gate and on a naive model of its contract, which must
// agree after every step on each decision, its order, and every count.

namespace millrace::runtime {
namespace {

base::TimePoint at(std::int64_t ns) { return base::TimePoint(base::Duration(ns)); }

/// B1 to B4 in the simplest form: everything is checked again at every step.
class Model {
 public:
  struct Waiting {
    int run = 0;
    std::int64_t start_by = 0;
  };

  explicit Model(const AdmissionSettings& settings) : settings_(settings) {}

  std::string ask(int run, std::int64_t deadline, std::int64_t cost, bool may_wait) {
    ++received;
    settle();
    if (is_shut_down) return refuse();
    if (deadline <= now) return refuse();
    if (waiting.empty() && has_room()) {
      accept(run);
      return "admitted";
    }
    if (!may_wait || static_cast<std::int64_t>(waiting.size()) == settings_.queue_max) {
      return refuse();
    }
    if (now + cost > deadline) return refuse();
    waiting.push_back({run, deadline - cost});
    return "queued";
  }

  void settle() {
    std::deque<Waiting> kept;
    for (const Waiting& entry : waiting) {
      if (now > entry.start_by) {
        log.push_back("-" + std::to_string(entry.run));
        ++refused;
      } else {
        kept.push_back(entry);
      }
    }
    waiting = kept;
    while (!waiting.empty() && has_room()) {
      const int run = waiting.front().run;
      waiting.pop_front();
      accept(run);
      log.push_back("+" + std::to_string(run));
    }
  }

  void shut_down() {
    is_shut_down = true;
    for (const Waiting& entry : waiting) {
      log.push_back("-" + std::to_string(entry.run));
      ++refused;
    }
    waiting.clear();
  }

  bool cancel(int run) {
    const auto removed =
        std::erase_if(waiting, [run](const Waiting& entry) { return entry.run == run; });
    refused += removed;
    return removed > 0;
  }

  std::int64_t now = 0;
  std::int64_t ready = 0;
  std::int64_t abandoned = 0;
  std::map<int, bool> runs;  // admitted run → whether it has started
  std::deque<Waiting> waiting;
  std::uint64_t received = 0;
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  std::vector<std::string> log;
  bool is_open = true;
  bool is_shut_down = false;

 private:
  std::string refuse() {
    ++refused;
    return "refused";
  }
  void accept(int run) {
    ++accepted;
    runs[run] = false;
  }
  bool has_room() {
    const auto starting =
        std::ranges::count_if(runs, [](const auto& entry) { return !entry.second; });
    const std::int64_t load = ready + abandoned + starting;
    if (load > settings_.high_water) is_open = false;
    if (load < settings_.low_water) is_open = true;
    return is_open && static_cast<std::int64_t>(runs.size()) < settings_.runs_max;
  }

  AdmissionSettings settings_;
};

class FixedGauge final : public ReadyGauge {
 public:
  [[nodiscard]] std::int64_t ready_count() const override { return count; }
  std::int64_t count = 0;
};

class Waiter final : public AdmissionWaiter {
 public:
  Waiter(int run, std::vector<std::string>& log, std::map<int, AdmissionPermit>& permits)
      : run_(run), log_(log), permits_(permits) {}
  void admitted(AdmissionPermit permit) override {
    log_.push_back("+" + std::to_string(run_));
    permits_[run_] = std::move(permit);
  }
  void refused(RefusalReason) override { log_.push_back("-" + std::to_string(run_)); }

 private:
  int run_;
  std::vector<std::string>& log_;
  std::map<int, AdmissionPermit>& permits_;
};

/// Applies the same operation to both and compares.
class Pair {
 public:
  explicit Pair(const AdmissionSettings& settings)
      : model_(settings), gate_(Admission::create(settings, gauge_).value()) {}
  ~Pair() {
    gate_->shut_down();
    permits_.clear();
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void apply(std::uint8_t operation, std::uint8_t argument) {
    switch (operation % 11) {
      case 0:
      case 1:
      case 2:
        return ask(argument);
      case 3:
        return set_ready(argument % 12);
      case 4:
        return release(argument);
      case 5:
        return start(argument);
      case 6:
        return abandon();
      case 7:
        return return_abandoned();
      case 8:
        return cancel(argument);
      case 9:
        model_.now += argument % 40;
        return;
      default:
        // Rare, since nothing interesting follows it.
        return argument == 7 ? shut_down() : poll();
    }
  }

  void compare() const {
    RC_ASSERT(log_ == model_.log);
    const AdmissionStats stats = gate_->stats();
    RC_ASSERT(stats.received == model_.received);
    RC_ASSERT(stats.accepted == model_.accepted);
    RC_ASSERT(stats.refused == model_.refused);
    RC_ASSERT(stats.waiting_count == static_cast<std::int64_t>(model_.waiting.size()));
    RC_ASSERT(stats.run_count == static_cast<std::int64_t>(model_.runs.size()));
    RC_ASSERT(stats.run_count == static_cast<std::int64_t>(permits_.size()));
    RC_ASSERT(stats.received ==
              stats.accepted + stats.refused + static_cast<std::uint64_t>(stats.waiting_count));
    compare_expiry();
  }

 private:
  void ask(std::uint8_t argument) {
    const int run = next_run_++;
    const bool may_wait = argument % 4 != 0;
    const std::int64_t cost = argument % 7;
    const std::int64_t deadline = model_.now + argument / 4;
    waiters_.push_back(std::make_unique<Waiter>(run, log_, permits_));
    AdmissionDecision decision =
        gate_->try_admit({.now = at(model_.now),
                          .deadline = at(deadline),
                          .estimated_cost = base::Duration(cost),
                          .waiter = may_wait ? waiters_.back().get() : nullptr});
    const std::string expected = model_.ask(run, deadline, cost, may_wait);
    switch (decision.outcome) {
      case AdmissionOutcome::kAdmitted:
        RC_ASSERT(expected == "admitted");
        RC_ASSERT(decision.permit.valid());
        permits_[run] = std::move(decision.permit);
        break;
      case AdmissionOutcome::kQueued:
        RC_ASSERT(expected == "queued");
        break;
      case AdmissionOutcome::kRefused:
        RC_ASSERT(expected == "refused");
        break;
    }
  }
  void set_ready(std::int64_t count) {
    gauge_.count = count;
    model_.ready = count;
  }
  void release(std::uint8_t argument) {
    const std::optional<int> run = pick(argument);
    if (!run) return;
    model_.runs.erase(*run);
    model_.settle();
    // Waiters that are let in join `permits_` during the call.
    AdmissionPermit permit = std::move(permits_.at(*run));
    permits_.erase(*run);
    permit.release(at(model_.now));
  }
  void start(std::uint8_t argument) {
    const std::optional<int> run = pick(argument);
    if (!run) return;
    permits_.at(*run).started();
    model_.runs.at(*run) = true;
  }
  void abandon() {
    gate_->add_abandoned();
    ++model_.abandoned;
  }
  void return_abandoned() {
    if (model_.abandoned == 0) return;
    --model_.abandoned;
    model_.settle();
    gate_->sub_abandoned(at(model_.now));
  }
  void cancel(std::uint8_t argument) {
    if (waiters_.empty()) return;
    const std::size_t run = argument % waiters_.size();
    RC_ASSERT(gate_->cancel(*waiters_[run]) == model_.cancel(static_cast<int>(run)));
  }
  void poll() {
    model_.settle();
    gate_->poll(at(model_.now));
  }
  void shut_down() {
    model_.shut_down();
    gate_->shut_down();
  }

  std::optional<int> pick(std::uint8_t argument) const {
    if (permits_.empty()) return std::nullopt;
    return std::next(permits_.begin(), argument % static_cast<int>(permits_.size()))->first;
  }

  /// The expiry may come too early but never too late.
  void compare_expiry() const {
    if (model_.waiting.empty()) return;
    const auto first = std::ranges::min_element(model_.waiting, {}, &Model::Waiting::start_by);
    const std::optional<base::TimePoint> expiry = gate_->next_expiry();
    RC_ASSERT(expiry.has_value());
    RC_ASSERT(expiry.value_or(base::TimePoint::max()) <= at(first->start_by + 1));
  }

  Model model_;
  FixedGauge gauge_;
  std::unique_ptr<Admission> gate_;
  std::vector<std::string> log_;
  std::map<int, AdmissionPermit> permits_;
  std::vector<std::unique_ptr<Waiter>> waiters_;
  int next_run_ = 0;
};

TEST(AdmissionPropertyTest, B1_B2_B3_B4_AgreesWithTheModelOnEverySequence) {
  const bool holds = rc::check([] {
    const std::int64_t high = *rc::gen::inRange<std::int64_t>(1, 8);
    const AdmissionSettings settings{.high_water = high,
                                     .low_water = *rc::gen::inRange<std::int64_t>(1, high + 1),
                                     .queue_max = *rc::gen::inRange<std::int64_t>(0, 6),
                                     .runs_max = *rc::gen::inRange<std::int64_t>(1, 8)};
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
