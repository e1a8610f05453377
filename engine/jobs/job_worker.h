#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/log/log.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "jobs/job_store.h"
#include "loop/loop.h"
#include "nats/link.h"
#include "nats/request_box.h"
#include "rank/ranker.h"

// One line on its way through a worker:
//
// clang-format off
//   state     who has it            next
//   ────────  ────────────────────  ─────────────────────────────────────────────────────────────
//   running   a loop                storing; given back (NAK) if the error may pass; storing
//                                   `gave_up` without running, if it was delivered too often
//   storing   JetStream             acking, when the result is stored or another one is there;
//                                   storing again, if there was no answer, or given back, if the
//                                   worker ends
//   acking    JetStream             over, whatever the answer: a line that comes again finds its
//                                   result and is acknowledged then
// clang-format on
//
// The thread that calls `run` is the clerk: it alone publishes, and what it has to say to one look
// at its queue leaves together. Loops and threads of the library put what happened into that queue.

namespace millrace::jobs {

struct WorkerSettings {
  std::size_t concurrency = 64;    ///< lines that run at a time
  std::uint64_t attempts_max = 5;  ///< deliveries of a line before it is given up
};

struct WorkerCounts {
  std::uint64_t stored = 0;
  std::uint64_t failed = 0;  ///< those of them that are errors
  std::uint64_t taken = 0;   ///< results that another one had stored before
  std::uint64_t given_back = 0;
  std::uint64_t foreign = 0;  ///< messages that were no lines of the job
};

/// Works on the lines of one job (JOB2, JOB6 to JOB8).
/// Threading: one thread makes and runs it. Lifetime: borrows its parts.
class JobWorker {
 public:
  struct Door {
    loop::Loop* loop = nullptr;
    rank::Ranker* ranker = nullptr;
  };
  struct Parts {
    nats::Link* link = nullptr;
    JobStore* store = nullptr;
    std::vector<Door> doors = {};
    base::Logger* log = nullptr;                                ///< may be null
    std::function<bool()> is_stopped = {};                      ///< asked often
    std::function<void(const WorkerCounts&)> on_progress = {};  ///< may be empty
  };
  enum class Until : std::uint8_t {
    kDone,  ///< every line has a result
    kIdle,  ///< nothing waits in the queue
  };

  JobWorker(Parts parts, const WorkerSettings& settings);
  ~JobWorker();
  JobWorker(const JobWorker&) = delete;
  JobWorker& operator=(const JobWorker&) = delete;

  /// Works until there is nothing to do or it is stopped; finishes what it has.
  [[nodiscard]] base::Status run(Until until) MR_EXCLUDES(mutex_);
  [[nodiscard]] const WorkerCounts& counts() const { return counts_; }

 private:
  class Line;
  class PullSink;
  struct Lane;
  enum class EventKind : std::uint8_t { kDelivered, kAnswered, kStored, kMarked, kAcked };
  struct Event {
    EventKind kind = EventKind::kDelivered;
    nats::Message message = {};  // delivered
    Line* line = nullptr;
    std::optional<base::Result<nats::StoreOutcome>> outcome = {};
  };

  static constexpr base::Duration kPullExpires = std::chrono::seconds(2);
  static constexpr base::Duration kHeartbeat = std::chrono::seconds(10);
  static constexpr base::Duration kTick = std::chrono::milliseconds(100);
  static constexpr base::Duration kStoreAgain = std::chrono::milliseconds(500);
  /// Lines that go to one loop before the next one gets some, so that few of them must wake it.
  static constexpr std::uint64_t kLinesInARow = 8;
  /// Lines that a worker has, for each that may run: the others wait for JetStream.
  static constexpr std::size_t kOpenFactor = 4;

  /// Queues what happened; `wake` must follow. Threading: any thread.
  void note(Event event) MR_EXCLUDES(mutex_);
  /// Wakes the clerk for what was queued. Threading: any thread.
  void wake() MR_EXCLUDES(mutex_);
  /// Both. Threading: any thread.
  void tell(std::vector<Event> events) MR_EXCLUDES(mutex_);
  [[nodiscard]] std::vector<Event> wait_for_events() MR_EXCLUDES(mutex_);

  // The clerk's.
  void handle(Event event);
  void on_delivered(nats::Message message);
  void on_answered(Line& line);
  void on_stored(Line& line, const base::Result<nats::StoreOutcome>& outcome);
  void on_not_stored(Line& line, const base::Error& error);
  void run_line(Line& line);
  void store(Line& line);
  void acknowledge(Line& line);
  void give_back(Line& line, base::Duration pause);
  void end(Line& line);
  void pull(base::TimePoint now);
  void keep_alive(base::TimePoint now);
  void store_again(base::TimePoint now);
  /// Gives back the lines whose result cannot be stored now: whoever ends does not wait for that.
  void leave_unstored();
  /// Ends the work if the job is not there any more.
  void look_for_job();
  [[nodiscard]] base::Result<bool> is_over(Until until);
  /// Looks whether a job that does not go on ever will, and does what helps.
  [[nodiscard]] base::Status look_after(const JobState& state, Until until);

  const Parts parts_;
  const WorkerSettings settings_;
  const std::string inbox_;
  std::unique_ptr<nats::RequestBox> box_;  // while it runs
  std::string plan_;
  std::uint64_t line_count_ = 0;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::uint64_t delivered_count_ = 0;
  std::unordered_map<Line*, std::unique_ptr<Line>> open_;
  WorkerCounts counts_;
  std::size_t running_count_ = 0;
  std::size_t asked_count_ = 0;  // of the pull that is under way; 0: none is
  base::TimePoint pull_end_{};
  base::TimePoint next_heartbeat_{};
  bool was_empty_ = false;             // the last pull brought nothing
  bool is_homeless_ = false;           // nobody took a result, so the job may be gone
  std::optional<JobState> looked_at_;  // when nothing came the last time
  std::optional<base::Error> problem_;

  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Event> events_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::jobs
