#include "base/clock.h"

namespace millrace::base {

const Clock& steady_clock() {
  static const SteadyClock clock;
  return clock;
}

}  // namespace millrace::base
