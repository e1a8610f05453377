#include "base/sync/processor_move.h"

#include <sched.h>

namespace millrace::base {

int current_processor() noexcept { return sched_getcpu(); }

bool leave_processor(int processor) noexcept {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (processor < 0 || processor >= CPU_SETSIZE) return false;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return false;
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof(others), &others) != 0) return false;
  // From where it is now it may go anywhere again.
  return sched_setaffinity(0, sizeof(allowed), &allowed) == 0;
}

}  // namespace millrace::base
