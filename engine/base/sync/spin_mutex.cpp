#include "base/sync/spin_mutex.h"

#include <atomic>
#include <thread>

namespace millrace::base {

void SpinMutex::wait_and_lock() {
  // Longer than a holder that runs needs; one that does not run needs our processor.
  constexpr int kLooks = 64;
  int looks = 0;
  do {
    while (is_locked_.load(std::memory_order_relaxed)) {
      if (++looks % kLooks == 0) std::this_thread::yield();
    }
  } while (is_locked_.exchange(true, std::memory_order_acquire));
}

}  // namespace millrace::base
