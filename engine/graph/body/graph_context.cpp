#include "graph/body/graph_context.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "graph/body/body_services.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/payload.h"

namespace millrace::graph {

EventKind Invocation::kind() const { return record_.kind; }
std::uint64_t Invocation::epoch() const { return record_.epoch; }
const Correlation& Invocation::correlation() const { return record_.correlation; }
bool Invocation::cancel_requested() const { return services_.cancel_requested(record_); }

void StateAccess::write(std::string table, std::string key, Payload value) {
  record_.has_more = true;
  record_.writes.push_back(
      {.table = std::move(table), .key = std::move(key), .value = std::move(value)});
}

std::optional<Payload> StateAccess::read(std::string_view table, std::string_view key) const {
  return services_.read_state(record_, table, key);
}

bool GraphContext::publish(std::uint32_t output, Payload value, const PublishOptions& options) {
  if (output >= record_.output_count) return false;
  // Whoever gives up the invocation writes it at the same time.
  if (std::atomic_ref(record_.is_abandoned).load(std::memory_order_relaxed)) [[unlikely]] {
    services_.note_late_publish(record_);
    return false;
  }
  record_.stage(output, std::move(value), options);
  return true;
}

bool GraphContext::publish(std::string_view output, Payload value, const PublishOptions& options) {
  return publish(services_.find_output(record_.component, output), std::move(value), options);
}

PublishReport GraphContext::publish_report(std::string_view output) const {
  return services_.publish_report(record_.component, output);
}

std::span<const InputMessage> GraphContext::inputs() const { return record_.inputs(); }

std::vector<Message> GraphContext::read(std::string_view input, std::string_view reader) {
  return services_.read_channel(record_, input, reader);
}

base::Status GraphContext::submit_task(std::string_view output,
                                       TaskFunction function,
                                       Duration budget) {
  return services_.submit_task(record_, output, std::move(function), budget);
}

void GraphContext::spend(Duration duration, bool is_busy) {
  services_.spend(record_, duration, is_busy);
}

base::Result<Payload> GraphContext::ask(const std::function<base::Result<Payload>()>& question) {
  return services_.ask(record_, question);
}

Duration GraphContext::now() const { return record_.begin; }
void GraphContext::finish() { record_.wants_finish = record_.has_more = true; }

void GraphContext::report_loop_convergence(std::optional<double> residual, bool is_converged) {
  if (residual) record_.residual = residual;
  record_.is_converged = record_.is_converged || is_converged;
}

bool GraphContext::cancel_requested() const { return services_.cancel_requested(record_); }
void GraphContext::give_to_host(const InputMessage& input) {
  record_.has_more = true;
  record_.for_host.push_back(input);
}
std::optional<std::string> GraphContext::read_line() { return services_.read_line(record_); }

}  // namespace millrace::graph
