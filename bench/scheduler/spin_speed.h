#pragma once

#include <cstdint>

#include "scheduler/placement.h"

namespace millrace::bench {

/// Measures how many steps of `spin` one processor of this machine makes in a nanosecond, now.
[[nodiscard]] double calibrate_steps_per_ns();

/// Gives the time of one `spin(steps)` when `threads` threads, placed as workers are, each make
/// `calls` of them at once. It is one sample, disturbed by the machine just as the samples of the
/// engines are. Processors differ (those of a virtual machine share physical ones with others); the
/// result is the harmonic mean, so that `threads / result` is the rate at which the machine can do
/// such work.
[[nodiscard]] double sample_spin_ns(std::uint64_t steps,
                                    std::uint64_t calls,
                                    unsigned threads,
                                    const Placement& placement);

}  // namespace millrace::bench
