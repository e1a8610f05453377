#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics/metric_cell.h"
#include "base/random.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/owned_timer.h"
#include "net/http_client.h"
#include "net/http_head.h"
#include "observe/finished_request.h"
#include "observe/otlp_json.h"

namespace millrace::observe {

struct OtlpOptions {
  net::HttpClientOptions client = {};  ///< where the collector is
  std::string target = "/v1/traces";
  net::HttpFields fields = {};  ///< sent with every request, such as a key
  OtlpResource resource = {};
  std::size_t batch_spans = 512;                        ///< of one POST, about
  base::Duration batch_time = std::chrono::seconds(5);  ///< how long the first span waits at most
  std::size_t queue_spans = 4096;                       ///< that wait; more are dropped
  std::uint32_t attempts_max = 5;
  base::Duration retry_pause = std::chrono::seconds(1);  ///< before the second attempt, then twice
  base::Duration retry_pause_max = std::chrono::seconds(30);
};

/// Sends the spans of finished requests to an OpenTelemetry collector, in batches.
///
/// Nobody waits for a collector: what does not fit into the queue is dropped and counted. One batch
/// is under way at a time. It is sent again if there was no answer, or one of 429, 502, 503 and
/// 504; other statuses and too many attempts are a failure of its spans.
///
/// Threading: made, destroyed and driven on its loop; `offer`, `flush` and the counts from any
/// thread. Lifetime: borrows loop, connector and random; nobody offers when it goes.
class OtlpExporter final : private net::HttpCall {
 public:
  OtlpExporter(loop::Loop& loop,
               net::Connector& connector,
               base::Random& random,
               OtlpOptions options);
  ~OtlpExporter() override;

  void offer(FinishedRequest request) MR_EXCLUDES(mutex_);
  /// Sends what waits without waiting for more; `done` is called on the loop when nothing is left.
  void flush(std::function<void()> done) MR_EXCLUDES(mutex_);

  [[nodiscard]] std::uint64_t sent_count() const { return sent_.value(); }
  [[nodiscard]] std::uint64_t failed_count() const { return failed_.value(); }
  [[nodiscard]] std::uint64_t dropped_count() const MR_EXCLUDES(mutex_);

 private:
  struct Wake : loop::Job {
    explicit Wake(OtlpExporter& exporter);
    OtlpExporter& owner;
  };
  struct Waiting {
    FinishedRequest request;
    std::size_t span_count = 0;
  };

  void post_wake() MR_REQUIRES(mutex_);
  void on_wake() MR_EXCLUDES(mutex_);
  /// Sends a batch, or waits for more spans, or says that nothing is left.
  void move_on() MR_EXCLUDES(mutex_);
  void on_timer();
  void take_batch() MR_EXCLUDES(mutex_);
  void send_body();
  void retry(base::Duration pause);
  void end_batch(std::size_t failed);
  void on_done(base::Result<net::HttpReply> reply) override;

  // Constant after construction.
  loop::Loop& loop_;
  const OtlpOptions options_;

  // Loop thread only.
  net::HttpClient client_;
  loop::OwnedTimer<OtlpExporter, &OtlpExporter::on_timer> batch_timer_;
  loop::OwnedTimer<OtlpExporter, &OtlpExporter::send_body> retry_timer_;
  std::string body_;            // of the batch under way
  std::size_t body_spans_ = 0;  // 0: none is under way
  std::uint32_t attempts_ = 0;
  bool is_timed_ = false;
  bool is_due_ = false;  // the first span has waited long enough
  base::CounterCell sent_;
  base::CounterCell failed_;

  mutable base::Mutex mutex_;
  Wake wake_;
  bool is_wake_posted_ MR_GUARDED_BY(mutex_) = false;
  std::deque<Waiting> queue_ MR_GUARDED_BY(mutex_);
  std::size_t queued_spans_ MR_GUARDED_BY(mutex_) = 0;
  std::uint64_t dropped_ MR_GUARDED_BY(mutex_) = 0;
  std::vector<std::function<void()>> flushes_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::observe
