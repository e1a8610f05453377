#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"

namespace millrace::base {

/// How long a thread that wakes up rarely and briefly, such as a loop, means to run at a time.
inline constexpr Duration kShortTimeSlice = std::chrono::microseconds(100);

/// Asks the system to let the calling thread run for so long at a time, where it shares a processor
/// with others. One with a short slice gets its turn soon after it wakes up and gives it back as
/// soon; its share of the processor stays the same. Gives what is in force. Nothing: the system
/// does not know slices of threads (Linux does from 6.12 on), or has refused.
/// Threading: the thread that is meant.
std::optional<Duration> ask_for_time_slice(Duration slice);

}  // namespace millrace::base
