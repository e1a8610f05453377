#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "nats/link.h"
#include "nats/message.h"

namespace millrace::nats {

/// Asks over a link and brings each answer to who asked. All answers come on one subject of this
/// box, so asking costs no subscription.
/// Threading: any thread. Callbacks run on a thread of the library, or on that of the box, which
/// watches the time; they must not block.
/// Lifetime: borrows the link; destroying the box answers what is open with `kCancelled`.
class RequestBox final : private MessageSink {
 public:
  /// `kNotFound`: nobody listens on the subject. `kTimeout`: no answer came in time.
  using Done = std::function<void(base::Result<Message>)>;

  /// Called after answers that came together, or when time is over, by whom `done` was called.
  using Rest = std::function<void()>;

  [[nodiscard]] static base::Result<std::unique_ptr<RequestBox>> open(Link& link, Rest rest = {});
  ~RequestBox() override;
  RequestBox(const RequestBox&) = delete;
  RequestBox& operator=(const RequestBox&) = delete;

  /// Queues a message on the link, whose `reply` is set here; `Link::send` sends it. `done` is
  /// called once, possibly before this returns.
  void queue(Message message, base::Duration limit, Done done) MR_EXCLUDES(mutex_);
  /// The same, and sends it.
  void ask(Message message, base::Duration limit, Done done) MR_EXCLUDES(mutex_) {
    queue(std::move(message), limit, std::move(done));
    link_.send();
  }
  /// Asks and waits.
  [[nodiscard]] base::Result<Message> ask_and_wait(Message message, base::Duration limit)
      MR_EXCLUDES(mutex_);

 private:
  struct Open {
    Done done;
    base::TimePoint deadline;
  };

  /// Deadlines are looked at so often, at least; a timeout is late by at most that.
  static constexpr base::Duration kLookPeriod = std::chrono::milliseconds(50);

  RequestBox(Link& link, Rest rest);
  void on_message(Message message) override MR_EXCLUDES(mutex_);
  void on_rest() override {
    if (rest_) rest_();
  }
  void watch_time() MR_EXCLUDES(mutex_);
  /// Takes an open request out; empty if it has its answer.
  [[nodiscard]] Done take(std::uint64_t number) MR_EXCLUDES(mutex_);

  Link& link_;
  const Rest rest_;
  const std::string prefix_;  // of the subjects of answers; a number follows

  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t next_number_ MR_GUARDED_BY(mutex_) = 1;
  std::map<std::uint64_t, Open> open_ MR_GUARDED_BY(mutex_);
  bool is_asleep_ MR_GUARDED_BY(mutex_) = false;  // the thread waits for a request
  bool is_ending_ MR_GUARDED_BY(mutex_) = false;

  std::unique_ptr<Subscription> subscription_;
  std::thread thread_;
};

}  // namespace millrace::nats
