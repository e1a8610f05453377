#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "nats/message.h"
#include "nats/request_box.h"

namespace millrace::bench {

/// Requests that are asked as soon as others are answered.
struct BusLoad {
  std::size_t outstanding = 256;
  std::size_t requests = 0;
  std::function<nats::Message(std::size_t number)> make;
  /// Whether an answer is right. Called on a thread of the library.
  std::function<bool(std::size_t number, const nats::Message& answer)> is_right;
};

/// What became of a load.
struct BusOutcome {
  base::Duration elapsed{};
  std::size_t wrong = 0;   ///< answers that are not right
  std::size_t failed = 0;  ///< no answer

  [[nodiscard]] double per_second(std::size_t requests) const;
};

/// Asks all and waits for all.
[[nodiscard]] BusOutcome run_load(nats::RequestBox& box, const BusLoad& load);
/// The same; every answer must be right.
[[nodiscard]] base::Result<double> rate_of(nats::RequestBox& box, const BusLoad& load);
/// Waits until somebody answers on the subject.
[[nodiscard]] base::Status await_responder(nats::RequestBox& box, const nats::Message& request);

}  // namespace millrace::bench
