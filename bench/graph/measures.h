#pragma once

#include <vector>

#include "base/result.h"
#include "support/figures.h"

// The measurements of `./dev bench graph`. Each adds its figures; with `smoke` it runs with tiny
// sizes, checks its own results and adds figures that mean nothing.

namespace millrace::bench {

using Figures = std::vector<Figure>;

/// Reading, checking and compiling files, by size.
[[nodiscard]] base::Status measure_compile(const BenchOptions& options, Figures& figures);
/// Time per invocation in virtual time beside the flow graph of oneTBB, in turns.
[[nodiscard]] base::Status measure_messages(const BenchOptions& options, Figures& figures);
/// A pool lane on one and on two threads, in turns.
[[nodiscard]] base::Status measure_pool(const BenchOptions& options, Figures& figures);
/// Instructions per invocation with tracing off, and in a build without trace code.
[[nodiscard]] base::Status measure_trace(const BenchOptions& options, Figures& figures);
/// What a graph that waits costs, and how fast it stops while it sleeps.
[[nodiscard]] base::Status measure_rest(const BenchOptions& options, Figures& figures);
/// How late ticks at 1 kHz begin.
[[nodiscard]] base::Status measure_ticks(const BenchOptions& options, Figures& figures);

}  // namespace millrace::bench
