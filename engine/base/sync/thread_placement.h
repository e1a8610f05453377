#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <pthread.h>

#include "base/result.h"

namespace millrace::base {

/// The processors that the calling thread may use, in ascending order.
[[nodiscard]] Result<std::vector<int>> usable_processors();

/// Lets a thread run on one processor only.
[[nodiscard]] Status pin_thread(pthread_t thread, int processor);

/// Gives processors to threads one after the other, from the first that the process may use; begins
/// anew where there are fewer processors than threads.
/// Threading: not shared.
class ProcessorDeal {
 public:
  [[nodiscard]] static Result<ProcessorDeal> create();
  /// Skips `count` processors, which others have.
  void skip(std::size_t count) { next_ += count; }
  /// Puts `thread` on the next processor.
  [[nodiscard]] Status pin_next(pthread_t thread);

 private:
  explicit ProcessorDeal(std::vector<int> processors) : processors_(std::move(processors)) {}
  std::vector<int> processors_;
  std::size_t next_ = 0;
};

}  // namespace millrace::base
