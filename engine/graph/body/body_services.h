#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/body/body_types.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/payload.h"

namespace millrace::graph {

class Component;

/// What the run does for a body that is being executed.
/// Threading: any thread that executes bodies.
class BodyServices {
 public:
  virtual ~BodyServices() = default;
  /// Index of an output that has an edge; kNoIndex if there is none.
  [[nodiscard]] virtual std::uint32_t find_output(std::uint32_t component,
                                                  std::string_view name) const = 0;
  [[nodiscard]] virtual PublishReport publish_report(std::uint32_t component,
                                                     std::string_view output) const = 0;
  [[nodiscard]] virtual bool cancel_requested(const InvocationRecord& record) const = 0;
  /// Counts a publication of an invocation that was abandoned.
  virtual void note_late_publish(const InvocationRecord& record) = 0;
  /// An invocation that was abandoned has returned.
  virtual void note_return(const InvocationRecord& record, const Component* instance) = 0;
  virtual void spend(InvocationRecord& record, Duration duration, bool is_busy) = 0;
  [[nodiscard]] virtual base::Status submit_task(InvocationRecord& record,
                                                 std::string_view output,
                                                 TaskFunction function,
                                                 Duration budget) = 0;
  [[nodiscard]] virtual base::Result<Payload> ask(
      InvocationRecord& record, const std::function<base::Result<Payload>()>& question) = 0;
  [[nodiscard]] virtual std::optional<std::string> read_line(InvocationRecord& record) = 0;
  [[nodiscard]] virtual std::optional<Payload> read_state(const InvocationRecord& record,
                                                          std::string_view table,
                                                          std::string_view key) const = 0;
  [[nodiscard]] virtual std::vector<Message> read_channel(const InvocationRecord& record,
                                                          std::string_view input,
                                                          std::string_view reader) = 0;
};

}  // namespace millrace::graph
