#include "server/nats/nats_tally.h"

#include <utility>

#include "server/nats/nats_metrics.h"

namespace millrace::server {

NatsTally::NatsTally(base::MetricsRegistry& registry) : binding_(registry) {
  const base::MutexLock lock(mutex_);
  binding_.bind(kNatsReceived, {}, &received_);
  binding_.bind(kNatsAnswers, {"replied"}, &replied_);
  binding_.bind(kNatsAnswers, {"no_reply"}, &no_reply_);
  binding_.bind(kNatsAnswers, {"undeliverable"}, &undeliverable_);
  binding_.bind(kNatsBusy, {"full"}, &busy_full_);
  binding_.bind(kNatsBusy, {"left"}, &busy_left_);
  binding_.bind(kNatsOverflows, {}, &overflows_);
  binding_.bind(kNatsDisconnects, {}, &disconnects_);
  binding_.bind(kNatsChanges, {"left"}, &left_);
  binding_.bind(kNatsChanges, {"joined"}, &returned_);
  binding_.bind(kNatsConnected, {}, &connected_);
  binding_.bind(kNatsJoined, {}, &joined_);
  binding_.bind(kNatsUnaddressed, {}, &unaddressed_);
}

void NatsTally::count_received(const std::string& plan) {
  const base::MutexLock lock(mutex_);
  received_.add();
  ++plans_[plan].requests;
}

void NatsTally::count_no_reply() {
  const base::MutexLock lock(mutex_);
  no_reply_.add();
}

void NatsTally::count_replied(const std::string& plan, int status) {
  const base::MutexLock lock(mutex_);
  replied_.add();
  if (status != 200) ++plans_[plan].errors;
}

void NatsTally::count_undeliverable() {
  const base::MutexLock lock(mutex_);
  undeliverable_.add();
}

void NatsTally::count_busy(bool has_left) {
  const base::MutexLock lock(mutex_);
  (has_left ? busy_left_ : busy_full_).add();
}

void NatsTally::count_overflow() {
  const base::MutexLock lock(mutex_);
  overflows_.add();
}

void NatsTally::count_disconnect() {
  const base::MutexLock lock(mutex_);
  disconnects_.add();
}

void NatsTally::count_change(bool is_joined) {
  const base::MutexLock lock(mutex_);
  (is_joined ? returned_ : left_).add();
}

void NatsTally::set_connected(bool is_connected) {
  const base::MutexLock lock(mutex_);
  connected_.set(is_connected ? 1 : 0);
}

void NatsTally::set_joined(std::size_t plan_count) {
  const base::MutexLock lock(mutex_);
  joined_.set(static_cast<double>(plan_count));
}

void NatsTally::set_unaddressed(std::size_t plan_count) {
  const base::MutexLock lock(mutex_);
  unaddressed_.set(static_cast<double>(plan_count));
}

std::vector<ServiceEndpoint> NatsTally::endpoints(std::vector<std::string> plans) const {
  std::vector<ServiceEndpoint> endpoints;
  const base::MutexLock lock(mutex_);
  for (std::string& plan : plans) {
    const auto counts = plans_.find(plan);
    ServiceEndpoint& endpoint = endpoints.emplace_back();
    if (counts != plans_.end()) {
      endpoint.request_count = counts->second.requests;
      endpoint.error_count = counts->second.errors;
    }
    endpoint.plan = std::move(plan);
  }
  return endpoints;
}

}  // namespace millrace::server
