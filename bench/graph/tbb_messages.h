#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "graph/message_shape.h"

namespace millrace::bench {

/// How the nodes of oneTBB's flow graph run.
enum class TbbNodes : std::uint8_t {
  kSerial,       ///< one call at a time, further messages wait in a queue, as our components do
  kUnlimited,    ///< any number of calls, no queue, no order
  kLightweight,  ///< unlimited, and called inside the node that sends
};

/// The same messages through function nodes of oneTBB's flow graph, on one thread.
class TbbMessages {
 public:
  virtual ~TbbMessages() = default;
  /// Gives so many messages to each first node and waits until all have gone through, as often as
  /// asked. Fails unless every message caused every call.
  [[nodiscard]] virtual base::Status run(std::uint64_t rounds) = 0;
};

[[nodiscard]] std::unique_ptr<TbbMessages> make_tbb_messages(const MessageShape& shape,
                                                             std::uint32_t per_round,
                                                             TbbNodes nodes);

}  // namespace millrace::bench
