#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/rankd/line_reader.h"
#include "apps/rankd/nats_flags.h"
#include "apps/rankd/output.h"
#include "apps/rankd/stop_signals.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "nats/message.h"
#include "nats/request_box.h"

namespace millrace::rankd {

/// Sends one request per line and writes the answers in the order of the lines (NAT9).
/// Threading: made, used and destroyed by one thread; has one of its own, which writes. Lifetime:
/// borrows all.
class RequestPump {
 public:
  struct Terms {
    std::string subject;
    std::size_t concurrency = 64;
    base::Duration timeout{};
    std::vector<nats::Header> headers = {};
  };
  /// Sends a message; `done` is called once, on any thread.
  using Ask =
      std::function<void(nats::Message message, base::Duration limit, nats::RequestBox::Done done)>;

  RequestPump(Ask ask, Terms terms, Output& out, StopFlag& stop);
  /// Waits for what is under way.
  ~RequestPump();
  RequestPump(const RequestPump&) = delete;
  RequestPump& operator=(const RequestPump&) = delete;

  /// Sends all lines. True: every request has got candidates.
  [[nodiscard]] base::Result<bool> run(LineReader& in);

 private:
  struct Slot {
    std::string request;
    std::string answer;
    bool is_done = false;
    bool is_good = false;
  };

  void send(std::string line) MR_EXCLUDES(mutex_);
  void finish(Slot& slot, base::Result<nats::Message> result) MR_EXCLUDES(mutex_);
  void write_answers() MR_EXCLUDES(mutex_);

  const Ask ask_;
  const Terms terms_;
  Output& out_;
  StopFlag& stop_;

  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<Slot>> slots_ MR_GUARDED_BY(mutex_);  // in the order of the lines
  std::size_t open_count_ MR_GUARDED_BY(mutex_) = 0;               // without an answer
  bool is_over_ MR_GUARDED_BY(mutex_) = false;                     // no more lines come
  bool is_all_good_ MR_GUARDED_BY(mutex_) = true;
};

/// `rankd request`; gives the exit code.
[[nodiscard]] int run_request(const NatsFlags& flags,
                              std::optional<base::Duration> deadline,
                              Output& out);

}  // namespace millrace::rankd
