#include <array>
#include <span>

#include "scheduler/engine.h"
#include "support/thread_sanitizer.h"

namespace millrace::bench {
namespace {

constexpr auto kEntries = std::to_array<EngineEntry>({
    {"serial", make_serial_engine},
    // What requests run: first of ours, because it is what users get.
    {"millrace-deadline", make_millrace_deadline_engine},
    {"millrace", make_millrace_engine},
    {"millrace-wait", make_millrace_wait_engine},
    {"millrace-inside", make_millrace_inside_engine},
    {"millrace-noinline", make_millrace_noinline_engine},
    {"millrace-nochain", make_millrace_nochain_engine},
// libtbb is not instrumented: ThreadSanitizer cannot see its synchronisation and would report a
// race in every body that it runs.
#if !MR_BENCH_TSAN
    {"tbb-tg", make_tbb_group_engine},
    {"tbb-wait", make_tbb_wait_engine},
    {"tbb-fg", make_tbb_flow_engine},
#endif
});

}  // namespace

std::span<const EngineEntry> engine_entries() { return kEntries; }

}  // namespace millrace::bench
