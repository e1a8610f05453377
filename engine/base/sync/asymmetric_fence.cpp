#include "base/sync/asymmetric_fence.h"

#include <cerrno>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"

namespace millrace::base {
namespace {

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }

bool register_membarrier() noexcept {
#ifdef MR_THREAD_SANITIZER
  return false;
#else
  const long commands = membarrier(MEMBARRIER_CMD_QUERY);
  if (commands < 0 || (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return false;
  return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
#endif
}

}  // namespace

namespace asymmetric_fence_detail {
const bool kMembarrierReady = register_membarrier();
}  // namespace asymmetric_fence_detail

void heavy_fence() noexcept {
  if (!light_fence_is_free()) {
    full_fence();
    return;
  }
  // The kernel promises that a registered process can only see success.
  const long result = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  MR_CHECK(result == 0, errno);
}

}  // namespace millrace::base
