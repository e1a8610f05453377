#include "scheduler/measure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "scheduler/engine.h"
#include "scheduler/ideal.h"
#include "scheduler/result.h"
#include "scheduler/spin_speed.h"
#include "scheduler/statistics.h"
#include "scheduler/suite.h"
#include "support/allocation_count.h"

namespace millrace::bench {
namespace {

// Bodies this long hide the cost of verification, so their timed runs are verified too.
constexpr double kLongUnitNs = 10'000;
// One run of these takes longer than a sample should: none is spent on waking threads first.
constexpr double kVeryLongUnitNs = 100'000;
constexpr std::uint64_t kLatencyRunsMax = 200;
constexpr std::uint64_t kTracedRuns = 16;

double to_ns(base::Duration duration) { return static_cast<double>(duration.count()); }

template <class Count>
std::optional<double> difference(const std::optional<Count>& after,
                                 const std::optional<Count>& before) {
  if (!after || !before) return std::nullopt;
  return static_cast<double>(*after - *before);
}

// One engine in a case: its prepared DAG and its samples.
class Contender {
 public:
  Contender(const Case& entry, EngineUnderTest subject, const Effort& effort, std::uint64_t steps)
      : case_(entry),
        subject_(subject),
        effort_(effort),
        workload_(entry.shape, steps, entry.slot_count),
        dag_(subject.engine->prepare(workload_)) {}

  // Runs until warm and finds how many runs make a sample.
  void warm_up() {
    if (case_.mode == Mode::kCold) return;
    workload_.begin_timed();
    base::Duration total{};
    base::Duration last{};
    std::uint64_t count = case_.slot_count;
    std::uint64_t done = 0;
    while (true) {
      last = time_runs(count);
      total += last;
      done += count;
      if (last >= effort_.sample_time / 2 && total >= effort_.warm_up_time &&
          done >= effort_.warm_up_runs)
        break;
      if (last < effort_.sample_time / 2) count *= 2;
    }
    correct_ = workload_.check(done) && correct_;
    const double runs = static_cast<double>(count) * to_ns(effort_.sample_time) / to_ns(last);
    count_ = std::max(static_cast<std::uint64_t>(std::llround(runs)),
                      static_cast<std::uint64_t>(case_.slot_count));
  }

  void sample() {
    std::this_thread::sleep_for(effort_.rest);
    if (case_.mode == Mode::kCold) return sample_cold();
    if (case_.unit_ns < kVeryLongUnitNs) {
      workload_.begin_timed();
      run(count_ / 8 + 1);
    }
    sample_counted();
    if (is_verified_while_timed()) return;
    verify();
    if (case_.mode == Mode::kSubmitAndWait && effort_.with_latency) sample_latency();
  }

  [[nodiscard]] unsigned workers() const { return subject_.workers; }

  Measurement finish(double ideal_ns) {
    Measurement result;
    result.shape = case_.name;
    result.body = case_.body;
    result.engine = subject_.name;
    result.workers = subject_.workers;
    result.node_count = static_cast<std::uint32_t>(case_.shape.node_count());
    result.ideal_ns = ideal_ns;
    result.dag_ns = dag_ns_;
    fill_counts(result);
    if (case_.mode == Mode::kSubmitAndWait && effort_.with_latency) {
      result.queue_delay_ns = dag_->trace_queue_delay_ns(kTracedRuns);
    }
    fill_latency(result);
    result.correct = correct_;
    return result;
  }

 private:
  void run(std::uint64_t count) {
    if (case_.mode == Mode::kInFlight) return dag_->run_in_flight(count);
    dag_->run({.count = count});
  }

  base::Duration time_runs(std::uint64_t count) {
    const base::TimePoint start = base::steady_clock().now();
    run(count);
    return base::steady_clock().now() - start;
  }

  void record(base::Duration taken, std::uint64_t count) {
    dag_ns_.push_back(to_ns(taken) / static_cast<double>(count));
    correct_ = workload_.check(count) && correct_;
  }

  [[nodiscard]] bool is_verified_while_timed() const {
    return case_.mode == Mode::kSubmitAndWait && case_.unit_ns >= kLongUnitNs;
  }

  void sample_counted() {
    is_verified_while_timed() ? workload_.begin_verified() : workload_.begin_timed();
    const Tally before = dag_->tally();
    const std::optional<std::uint64_t> allocations_before = allocation_count();
    const base::Duration taken = time_runs(count_);
    const std::optional<std::uint64_t> allocations_after = allocation_count();
    const Tally after = dag_->tally();
    record(taken, count_);
    runs_ += count_;
    allocations_ = add(allocations_, difference(allocations_after, allocations_before));
    wakes_ = add(wakes_, difference(after.wakes, before.wakes));
    inlined_ = add(inlined_, difference(after.inlined, before.inlined));
    queued_ = add(queued_, difference(after.queued, before.queued));
  }

  void verify() {
    workload_.begin_verified();
    const std::uint64_t count = 2 * case_.slot_count;
    run(count);
    correct_ = workload_.check(count) && correct_;
  }

  void sample_latency() {
    workload_.begin_timed();
    const std::uint64_t count = std::min(count_, kLatencyRunsMax);
    dag_->run({.count = count, .latency = &latency_});
    correct_ = workload_.check(count) && correct_;
  }

  void sample_cold() {
    dag_.reset();
    workload_.begin_verified();
    dag_ = subject_.engine->prepare(workload_);
    record(time_runs(1), 1);
  }

  static std::optional<double> add(const std::optional<double>& sum,
                                   const std::optional<double>& value) {
    if (!value) return sum;
    return sum.value_or(0) + *value;
  }

  void fill_counts(Measurement& result) const {
    if (runs_ == 0) return;
    const auto runs = static_cast<double>(runs_);
    if (allocations_) result.allocs_per_run = *allocations_ / runs;
    if (wakes_) result.wakes_per_run = *wakes_ / runs;
    if (inlined_ && queued_ && *inlined_ + *queued_ > 0) {
      result.inline_rate = *inlined_ / (*inlined_ + *queued_);
    }
  }

  void fill_latency(Measurement& result) const {
    if (latency_.empty()) return;
    std::vector<double> microseconds;
    microseconds.reserve(latency_.size());
    for (const base::Duration run : latency_) microseconds.push_back(to_ns(run) / 1e3);
    result.p50_us = quantile(microseconds, 0.50);
    result.p99_us = quantile(microseconds, 0.99);
  }

  const Case& case_;
  EngineUnderTest subject_;
  const Effort& effort_;
  Workload workload_;
  std::unique_ptr<PreparedDag> dag_;
  std::uint64_t count_ = 1;
  std::uint64_t runs_ = 0;
  std::optional<double> allocations_;
  std::optional<double> wakes_;
  std::optional<double> inlined_;
  std::optional<double> queued_;
  std::vector<double> dag_ns_;
  std::vector<base::Duration> latency_;
  bool correct_ = true;
};

// DAGs in flight overlap freely, so only the total work bounds them.
double ideal_units(const Case& entry, unsigned workers) {
  if (entry.mode != Mode::kInFlight) {
    return static_cast<double>(ideal_makespan(entry.shape, workers));
  }
  return static_cast<double>(total_cost(entry.shape)) / workers;
}

// The bare body is measured in turns with the engines, so that the ideal and the engines see the
// same machine.
class UnitTimes {
 public:
  UnitTimes(const Case& entry, const Bench& bench, const Effort& effort)
      : case_(entry), bench_(bench), effort_(effort) {
    for (const EngineUnderTest& subject : bench.engines) times_[subject.workers];
  }

  void sample(std::uint64_t steps) {
    for (auto& [workers, samples] : times_) {
      if (steps == 0) continue;
      std::this_thread::sleep_for(effort_.rest);
      const double calls = std::max(1.0, std::round(to_ns(effort_.sample_time) / case_.unit_ns));
      samples.push_back(
          sample_spin_ns(steps, static_cast<std::uint64_t>(calls), workers, bench_.placement));
    }
  }

  [[nodiscard]] double ideal_ns(unsigned workers) const {
    const std::vector<double>& samples = times_.at(workers);
    return samples.empty() ? 0 : ideal_units(case_, workers) * median(samples);
  }

 private:
  const Case& case_;
  const Bench& bench_;
  const Effort& effort_;
  std::map<unsigned, std::vector<double>> times_;  // by number of workers
};

}  // namespace

std::vector<Measurement> measure_case(const Case& entry, const Bench& bench, const Effort& effort) {
  const auto steps = static_cast<std::uint64_t>(std::llround(entry.unit_ns * bench.steps_per_ns));
  std::vector<std::unique_ptr<Contender>> contenders;
  contenders.reserve(bench.engines.size());
  for (const EngineUnderTest& subject : bench.engines) {
    contenders.push_back(std::make_unique<Contender>(entry, subject, effort, steps));
  }
  for (const auto& contender : contenders) contender->warm_up();
  UnitTimes units(entry, bench, effort);
  for (unsigned repetition = 0; repetition < effort.repetitions; ++repetition) {
    units.sample(steps);
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      contenders[(turn + repetition) % contenders.size()]->sample();
    }
  }
  std::vector<Measurement> results;
  results.reserve(contenders.size());
  for (const auto& contender : contenders)
    results.push_back(contender->finish(units.ideal_ns(contender->workers())));
  return results;
}

}  // namespace millrace::bench
