#include "base/sync/spin_mutex.h"

#include <atomic>
#include <thread>

namespace millrace::base {

void SpinMutex::wait_and_lock() {
  // A holder that is running unlocks before this many looks. One that is not running may need our
  // processor to go on.
  constexpr int kLooks = 64;
  int looks = 0;
  do {
    while (is_locked_.load(std::memory_order_relaxed)) {
      if (++looks % kLooks == 0) std::this_thread::yield();
    }
  } while (is_locked_.exchange(true, std::memory_order_acquire));
}

}  // namespace millrace::base
