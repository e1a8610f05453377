#include "graph/threads/detached_call.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/sync/mutex.h"
#include "graph/body/body_services.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/body/guarded_call.h"
#include "graph/body/invocation_record.h"

namespace millrace::graph {

DetachedCall::DetachedCall(BodyServices& services,
                           std::shared_ptr<Component> instance,
                           const InvocationRecord& record)
    : instance_(std::move(instance)), record_(record), services_(&services) {}

bool DetachedCall::execute() {
  GraphContext context(*this, record_);
  const Invocation invocation(record_, record_.messages, *this);
  base::Status status =
      guarded_call([&]() -> base::Status { return instance_->execute(invocation, context); });
  const base::MutexLock lock(mutex_);
  if (state_ == State::kAbandoned) {
    if (services_ != nullptr) services_->note_return(record_, instance_.get());
    return false;
  }
  state_ = State::kEnded;
  if (!status) record_.error.emplace(std::move(status).error());
  return true;
}

bool DetachedCall::abandon() {
  const base::MutexLock lock(mutex_);
  if (state_ != State::kRunning) return false;
  state_ = State::kAbandoned;
  // The body reads it at the same time.
  std::atomic_ref(record_.is_abandoned).store(true, std::memory_order_relaxed);
  return true;
}

void DetachedCall::close() {
  const base::MutexLock lock(mutex_);
  services_ = nullptr;
}

std::uint32_t DetachedCall::find_output(std::uint32_t component, std::string_view name) const {
  const base::MutexLock lock(mutex_);
  return services_ == nullptr ? kNoIndex : services_->find_output(component, name);
}

PublishReport DetachedCall::publish_report(std::uint32_t component, std::string_view output) const {
  const base::MutexLock lock(mutex_);
  return is_open() ? services_->publish_report(component, output) : PublishReport{};
}

bool DetachedCall::cancel_requested(const InvocationRecord& record) const {
  const base::MutexLock lock(mutex_);
  return is_open() ? services_->cancel_requested(record) : true;
}

void DetachedCall::note_late_publish(const InvocationRecord& record) {
  const base::MutexLock lock(mutex_);
  if (services_ != nullptr) services_->note_late_publish(record);
}

void DetachedCall::note_return(const InvocationRecord& record, const Component* instance) {
  const base::MutexLock lock(mutex_);
  if (services_ != nullptr) services_->note_return(record, instance);
}

void DetachedCall::spend(InvocationRecord&, Duration duration, bool is_busy) {
  take_time(duration, is_busy);
}

base::Status DetachedCall::submit_task(InvocationRecord& record,
                                       std::string_view output,
                                       TaskFunction function,
                                       Duration budget) {
  const base::MutexLock lock(mutex_);
  if (is_open()) return services_->submit_task(record, output, std::move(function), budget);
  return base::fail(base::ErrorCode::kTimeout, "The invocation was given up");
}

base::Result<Payload> DetachedCall::ask(InvocationRecord& record,
                                        const std::function<base::Result<Payload>()>& question) {
  {
    const base::MutexLock lock(mutex_);
    if (!is_open()) return base::fail(base::ErrorCode::kTimeout, "The invocation was given up");
  }
  // Without the lock, because the answer may never come. The run may be over by then, so it is told
  // the answer afterwards.
  base::Result<Payload> answer = question();
  const base::MutexLock lock(mutex_);
  return is_open() ? services_->ask(record, [&answer] { return answer; }) : answer;
}

std::optional<std::string> DetachedCall::read_line(InvocationRecord& record) {
  const base::MutexLock lock(mutex_);
  return is_open() ? services_->read_line(record) : std::nullopt;
}

std::optional<Payload> DetachedCall::read_state(const InvocationRecord& record,
                                                std::string_view table,
                                                std::string_view key) const {
  const base::MutexLock lock(mutex_);
  return is_open() ? services_->read_state(record, table, key) : std::nullopt;
}

std::vector<Message> DetachedCall::read_channel(const InvocationRecord& record,
                                                std::string_view input,
                                                std::string_view reader) {
  const base::MutexLock lock(mutex_);
  return is_open() ? services_->read_channel(record, input, reader) : std::vector<Message>{};
}

void take_time(Duration duration, bool is_busy) {
  if (duration <= Duration::zero()) return;
  if (!is_busy) {
    std::this_thread::sleep_for(duration);
    return;
  }
  const auto until = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < until) {
  }
}

}  // namespace millrace::graph
