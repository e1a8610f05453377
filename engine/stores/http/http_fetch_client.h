#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics/metric_binding.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/one_shot_wait.h"
#include "loop/stop.h"
#include "loop/task_promise.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "net/stream.h"
#include "plan/registry/registry.h"
#include "stores/store_client.h"
#include "tasks/endpoint_client.h"

namespace millrace::stores {

/// Pages to GET, all at once.
struct HttpBatch {
  std::vector<std::string> targets;  ///< path and query, percent-encoded; no two alike
  std::size_t body_bytes_max = std::size_t{64} << 10;
};

/// For each target of a batch, in order, its reply or why there is none.
using HttpAnswers = std::vector<base::Result<net::HttpReply>>;

/// What `HttpFetchClient::get_all` gives: await it at once.
///
/// Two events can end the wait: the last call is done (loop thread), or a stop is requested (any
/// thread).
/// Threading: loop thread, but for the stop callback. Lifetime: in the frame of the coroutine.
class [[nodiscard]] HttpFetch : private loop::StopCallback, private loop::OneShotWait {
 public:
  HttpFetch(net::HttpClient& client, HttpBatch batch, const CallOptions& options);
  ~HttpFetch();

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <loop::TaskLike Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) {
    return suspend(task.promise());
  }
  /// Gives all answers, or kCancelled.
  [[nodiscard]] base::Result<HttpAnswers> await_resume();

 private:
  class Call final : public net::HttpCall {
   public:
    Call(HttpFetch& fetch, std::size_t index) : fetch_(fetch), index_(index) {}

   private:
    void on_done(base::Result<net::HttpReply> reply) override;
    HttpFetch& fetch_;
    const std::size_t index_;
  };

  static void stopped(StopCallback& callback);
  [[nodiscard]] bool suspend(loop::TaskPromise& task);

  net::HttpClient& client_;
  HttpBatch batch_;
  const CallOptions options_;
  std::deque<Call> calls_;  // they cannot move
  HttpAnswers answers_;
  std::size_t pending_count_ = 0;
};

/// The client of an `http` endpoint on one loop.
/// Threading: loop thread; made and destroyed anywhere. Lifetime: borrows loop and connector;
/// outlives the fetches in flight.
class HttpFetchClient final : public tasks::EndpointClient {
 public:
  HttpFetchClient(loop::Loop& loop,
                  net::Connector& connector,
                  net::HttpClientOptions options,
                  std::uint64_t seed);

  /// Sends all requests of the batch at once, as far as the endpoint's `max_inflight` lets them,
  /// and waits for all answers. Requests end with kTimeout at the deadline at the latest.
  [[nodiscard]] HttpFetch get_all(HttpBatch batch, const CallOptions& options) {
    return {client_, std::move(batch), options};
  }
  [[nodiscard]] const net::HttpClient& client() const { return client_; }
  void bind_metrics(base::MetricBinding& binding, std::string_view endpoint) const override;

 private:
  base::SplitMix64 random_;
  net::HttpClient client_;
};

/// How an endpoint of the registry is spoken to; its files are relative to `root`.
[[nodiscard]] net::HttpClientOptions http_options_of(const plan::EndpointInfo& endpoint,
                                                     const std::string& root);

}  // namespace millrace::stores
