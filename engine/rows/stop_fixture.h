#pragma once

// For tests only: a stop that is requested in the middle of an operator's work.

#include <cstddef>
#include <limits>

#include "rows/stop_check.h"

namespace millrace::rows::testing {

/// Requests a stop at the n-th question, counting from 0, and ever after; counts the questions.
/// Threading: not shared. Lifetime: outlives its check.
class StopAtLook {
 public:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  explicit StopAtLook(std::size_t look = kNever) : stop_at_(look) {}
  StopAtLook(const StopAtLook&) = delete;
  StopAtLook& operator=(const StopAtLook&) = delete;

  [[nodiscard]] std::size_t look_count() const { return look_count_; }
  [[nodiscard]] StopCheck check() {
    const auto ask = [](const void* subject) {
      const auto& self = *static_cast<const StopAtLook*>(subject);
      return self.look_count_++ >= self.stop_at_;
    };
    return {ask, this, "here"};
  }

 private:
  std::size_t stop_at_;
  mutable std::size_t look_count_ = 0;  // a check asks through a constant pointer
};

}  // namespace millrace::rows::testing
