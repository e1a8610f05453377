#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/run/runtime.h"

namespace millrace::bench {

/// A graph that moves integers: a source gives some in every epoch, `core.linear` adds 1 to each.
struct MessageShape {
  std::string_view name;
  std::uint32_t first = 1;  ///< components that get each message of the source
  std::uint32_t chain = 1;  ///< components one behind the other, the first included
  bool joins = false;       ///< one more component gets what the first ones publish

  /// Invocations for each message of the source.
  [[nodiscard]] std::uint32_t invocations() const { return first * chain + (joins ? first : 0); }
};

/// Chain of 10, fan-out of 8, fan-out and fan-in of 8.
[[nodiscard]] std::span<const MessageShape> message_shapes();
/// The shape of that name, or nullptr.
[[nodiscard]] const MessageShape* find_message_shape(std::string_view name);

/// The shape as a graph in virtual time: queues of 16, so many messages in each epoch.
class MessageRun {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<MessageRun>> make(const MessageShape& shape,
                                                                      std::uint32_t per_epoch);
  /// Runs that many epochs; fails unless every message caused every invocation.
  [[nodiscard]] base::Status run(std::uint64_t epochs);

 private:
  MessageRun(graph::CompiledGraph graph, const MessageShape& shape, std::uint32_t per_epoch);
  [[nodiscard]] std::uint64_t invocations() const;

  const MessageShape shape_;
  const std::uint32_t per_epoch_;
  const graph::ComponentRegistry registry_;
  const graph::CompiledGraph graph_;
  std::unique_ptr<graph::Runtime> runtime_;
};

}  // namespace millrace::bench
