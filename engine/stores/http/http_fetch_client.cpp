#include "stores/http/http_fetch_client.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/one_shot_wait.h"
#include "loop/stop.h"
#include "loop/task_promise.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "net/stream.h"
#include "plan/registry/registry.h"
#include "stores/connect_options.h"
#include "stores/store_client.h"
#include "tasks/endpoint_client.h"
#include "tasks/endpoint_metrics.h"

namespace millrace::stores {

HttpFetch::HttpFetch(net::HttpClient& client, HttpBatch batch, const CallOptions& options)
    : StopCallback(&stopped), client_(client), batch_(std::move(batch)), options_(options) {}

HttpFetch::~HttpFetch() { disconnect(); }

bool HttpFetch::suspend(loop::TaskPromise& task) {
  begin(task);
  if (!try_connect(options_.stop)) {
    end(loop::WaitEnd::kCancelled);
    return false;
  }
  answers_.reserve(batch_.targets.size());
  for (std::size_t i = 0; i < batch_.targets.size(); ++i) {
    Call& call = calls_.emplace_back(*this, i);
    const base::Status sent = client_.send(
        call,
        {.target = std::move(batch_.targets[i])},
        {.body_bytes_max = batch_.body_bytes_max, .deadline = options_.deadline, .group = this});
    // Until its answer comes, a call has an empty one.
    answers_.push_back(sent ? base::Result<net::HttpReply>(net::HttpReply{})
                            : std::unexpected(sent.error()));
    if (sent) ++pending_count_;
  }
  if (pending_count_ == 0) end(loop::WaitEnd::kDone);
  return finish_suspending();
}

void HttpFetch::Call::on_done(base::Result<net::HttpReply> reply) {
  fetch_.answers_[index_] = std::move(reply);
  // The coroutine may continue inside the call, and destroy this object.
  if (--fetch_.pending_count_ == 0) fetch_.end(loop::WaitEnd::kDone);
}

void HttpFetch::stopped(StopCallback& callback) {
  // Posted, because the mutex of the source is held here.
  static_cast<HttpFetch&>(callback).end_posted(loop::WaitEnd::kCancelled);
}

base::Result<HttpAnswers> HttpFetch::await_resume() {
  disconnect();
  calls_.clear();
  if (ended() == loop::WaitEnd::kCancelled) {
    return base::fail(base::ErrorCode::kCancelled, "HTTP requests were given up");
  }
  return std::move(answers_);
}

HttpFetchClient::HttpFetchClient(loop::Loop& loop,
                                 net::Connector& connector,
                                 net::HttpClientOptions options,
                                 std::uint64_t seed)
    : EndpointClient(tasks::ClientKind::kHttp),
      random_(seed),
      client_(loop, connector, random_, std::move(options)) {}

void HttpFetchClient::bind_metrics(base::MetricBinding& binding, std::string_view endpoint) const {
  const net::HttpCells& cells = client_.cells();
  binding.bind(tasks::kEndpointCommands, {endpoint}, &cells.requests);
  // Each request is on a connection of its own, and so is its wait.
  binding.bind(tasks::kEndpointRoundTrips, {endpoint}, &cells.requests);
  binding.bind(tasks::kEndpointErrors, {endpoint}, &cells.failed);
  binding.bind(tasks::kEndpointErrors, {endpoint}, &cells.refused);
  binding.bind(tasks::kEndpointConnects, {endpoint}, &cells.connections);
  binding.bind(tasks::kEndpointBreakerOpen, {endpoint}, &cells.breakers_open);
  binding.bind(tasks::kEndpointDuration, {endpoint}, &cells.duration);
}

net::HttpClientOptions http_options_of(const plan::EndpointInfo& endpoint,
                                       const std::string& root) {
  const plan::EndpointPolicy& policy = endpoint.policy;
  net::HttpClientOptions options{.address = address_of(endpoint),
                                 .connect = connect_options_of(endpoint, root),
                                 .request_timeout = policy.request_timeout,
                                 .inflight_max = policy.max_inflight,
                                 .idle_max = policy.connections};
  options.breaker.consecutive_failures_max = policy.breaker_failures;
  options.breaker.open_min = policy.breaker_open;
  options.breaker.open_max = std::max(options.breaker.open_max, policy.breaker_open);
  return options;
}

}  // namespace millrace::stores
