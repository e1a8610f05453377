#pragma once

#include <cstdint>

namespace millrace::runtime {

/// Tells how many nodes of the whole process are ready but not running.
/// Threading: any thread; the number may be stale by what other threads are just doing.
class ReadyGauge {
 public:
  virtual ~ReadyGauge() = default;
  [[nodiscard]] virtual std::int64_t ready_count() const = 0;
};

}  // namespace millrace::runtime
