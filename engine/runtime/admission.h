#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <expected>
#include <limits>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "base/sync/atomics.h"
#include "runtime/ready_gauge.h"
#include "runtime/topology/node.h"

// Whether a new run may start. The gate looks at the load of the whole process:
//
//   load = nodes ready but not running (ReadyGauge)
//        + runs that have been answered while some of their bodies still ran
//
// clang-format off
//           load > high_water
//     open ────────────────────► closed        closed: new runs are refused; runs already admitted
//          ◄────────────────────               never notice.
//            load < low_water
// clang-format on
//
// Runs that wait for I/O add nothing to that load, so `inflight_max` bounds memory besides. Below
// it the limit moves: `set_limit` is called by whoever measures how well the process keeps up
// (adaptive_limit.h). A class of runs may use a share of the limit, so that the better classes
// still enter when the worse ones are refused. Nobody waits here: whoever has requests that can
// wait (a batch, the lines of stdin) keeps them and asks again. So there is no queue, no lock, no
// clock and no thread.
//
// Cost. To sum up the load is dear: every worker has counters of its own. But no more nodes can be
// ready than admitted runs have, so the load is looked at only when those nodes could exceed the
// high-water mark, or when the gate is closed. A run that is admitted without that look costs one
// compare-and-swap and one addition, and one subtraction at its end.

namespace millrace::runtime {

class Admission;

/// The right of one run to exist. Gives its place back when destroyed.
/// Threading: not shared; may move between threads.
/// Lifetime: must not outlive its `Admission`.
class [[nodiscard]] AdmissionPermit {
 public:
  AdmissionPermit() = default;
  AdmissionPermit(AdmissionPermit&& other) noexcept
      : admission_(std::exchange(other.admission_, nullptr)),
        place_(other.place_),
        is_abandoned_(other.is_abandoned_) {}
  AdmissionPermit& operator=(AdmissionPermit&& other) noexcept;
  ~AdmissionPermit() { release(); }

  [[nodiscard]] bool valid() const { return admission_ != nullptr; }
  /// Says that the run has been answered though bodies may still run: from now on it is load, until
  /// its place is given back (C2). Does nothing without a place.
  void abandon();
  /// Gives the place back. Does nothing without one.
  void release();
  /// Counts bodies of the run that returned after its answer. Does nothing without a place.
  void note_late(std::uint32_t count);

 private:
  friend class Admission;
  AdmissionPermit(Admission& admission, std::uint64_t place)
      : admission_(&admission), place_(place) {}

  Admission* admission_ = nullptr;
  std::uint64_t place_ = 0;  // what it added to `Admission::places_`
  bool is_abandoned_ = false;
};

enum class RefusalReason : std::uint8_t {
  kLimit,      ///< as many runs as the class may have are under way
  kHighWater,  ///< the gate is closed
  kDeadline,   ///< the deadline has passed
};

/// Limits; signed, so that a negative setting is an error and not a huge number.
struct AdmissionSettings {
  std::int64_t high_water = 8192;    ///< the gate closes above this load; from 1 to `kLimitMax`
  std::int64_t low_water = 4096;     ///< and opens below this one; from 1 to `high_water`
  std::int64_t inflight_max = 1024;  ///< runs admitted at once; from 1 to `kLimitMax`

  /// The share of the limit up to which runs of each class enter, from the best class on.
  std::array<double, kPriorityCount> class_shares = {1, 1, 1, 1};

  static constexpr std::int64_t kLimitMax = 1'000'000;
};

struct AdmissionRequest {
  base::TimePoint now;
  base::TimePoint deadline = base::TimePoint::max();  ///< max: none
  /// Nodes of the run. A run whose bodies start runs of their own must leave it unknown.
  std::uint32_t node_count = kUnknownNodes;
  Priority priority = Priority::kNormal;

  static constexpr std::uint32_t kUnknownNodes = std::numeric_limits<std::uint32_t>::max();
};

/// What happened so far.
struct AdmissionStats {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;           ///< for whatever reason
  std::uint64_t refused_deadline = 0;  ///< the part of it with `kDeadline`
  std::int64_t run_count = 0;          ///< permits out
  std::int64_t abandoned_count = 0;    ///< those of them that are abandoned
  std::uint64_t late_bodies = 0;       ///< bodies that returned after the answer of their run
  std::int64_t limit = 0;              ///< runs that may be in flight now
  std::int64_t load = 0;               ///< what the gate compares with its marks
  bool is_open = true;
};

/// The process-wide gate for new runs.
/// Threading: any thread.
/// Lifetime: borrows `gauge`; destroyed after all permits.
class Admission {
 public:
  /// Fails with `kInvalidArgument` when the settings contradict themselves.
  [[nodiscard]] static base::Result<std::unique_ptr<Admission>> create(
      const AdmissionSettings& settings, const ReadyGauge& gauge);
  ~Admission();
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  /// Admits a new run or refuses it, at once.
  [[nodiscard]] std::expected<AdmissionPermit, RefusalReason> try_admit(
      const AdmissionRequest& request);

  /// Moves the limit; it stays between 1 and `inflight_max`. Runs already admitted stay. A class
  /// gets its share of the limit with its fraction: two roundings would cost small limits a run.
  void set_limit(double limit);
  /// The greatest number of runs in flight since the last call, about: an admission at the same
  /// time may be missed.
  [[nodiscard]] std::int64_t take_peak();

  [[nodiscard]] AdmissionStats stats() const;
  [[nodiscard]] const AdmissionSettings& settings() const { return settings_; }

 private:
  friend class AdmissionPermit;

  // `places_` holds two sums: admitted runs from bit 40 on, and below their nodes. A run counts for
  // at most high_water + 1 nodes, so that the sum of kLimitMax runs fits.
  static constexpr unsigned kRunShift = 40;
  static constexpr std::uint64_t kOneRun = std::uint64_t{1} << kRunShift;
  static constexpr std::uint64_t kNodeMask = kOneRun - 1;

  Admission(const AdmissionSettings& settings, const ReadyGauge& gauge)
      : settings_(settings), gauge_(gauge) {
    set_limit(static_cast<double>(settings.inflight_max));
  }

  [[nodiscard]] bool opens_at_this_load();
  [[nodiscard]] std::unexpected<RefusalReason> refuse(RefusalReason reason);

  // Constant after construction.
  const AdmissionSettings settings_;
  const ReadyGauge& gauge_;

  // How many runs may be in flight for a run of each class to enter, and the limit they come from.
  // Publish nothing.
  std::array<std::atomic<std::uint64_t>, kPriorityCount> class_limits_{};
  std::atomic<std::int64_t> limit_{0};
  std::atomic<std::int64_t> peak_{0};

  // Counts; they publish nothing.
  alignas(base::kApartBytes) std::atomic<std::uint64_t> places_{0};
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::int64_t> abandoned_{0};
  std::atomic<std::uint64_t> late_bodies_{0};
  std::atomic<std::uint64_t> refused_busy_{0};
  std::atomic<std::uint64_t> refused_deadline_{0};
  // What the last look at the load decided. A hint that publishes nothing.
  std::atomic<bool> is_open_{true};
};

}  // namespace millrace::runtime
