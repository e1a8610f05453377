#pragma once

// Defines MR_BENCH_TSAN when the build is instrumented by ThreadSanitizer.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MR_BENCH_TSAN
#endif
#endif
