#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "graph/body/message.h"
#include "graph/payload.h"

namespace millrace::graph {

/// One message of an invocation.
struct InputMessage {
  Message message = {};
  std::uint32_t edge = kNoIndex;  ///< kNoIndex: injected by the host
  std::uint32_t input = 0;        ///< index among the component's inputs
  bool is_late = false;           ///< older than the edge's `deadline`
  bool is_used_again = false;     ///< a `latched` value that an earlier invocation has had

  void forget() { message.value.clear(); }
};

/// What became of the publications that a component made on a port in its last invocation.
struct PublishReport {
  std::uint32_t committed = 0;
  std::uint32_t refused = 0;
  std::uint32_t dropped = 0;
  std::string edge = {};  ///< the last that refused or dropped; empty if none did
};

struct PublishOptions {
  std::optional<Duration> event_time = {};
};

/// What a task sees of the run.
class TaskContext {
 public:
  virtual ~TaskContext() = default;
  /// Takes that long: waits in wall time, moves the clock in virtual time.
  virtual void spend(Duration duration) = 0;
  [[nodiscard]] virtual bool cancel_requested() const = 0;
};

using TaskFunction = std::function<base::Result<Payload>(TaskContext& context)>;

}  // namespace millrace::graph
