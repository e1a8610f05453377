#pragma once

// MR_BENCH_TSAN is 1 when the build is instrumented by ThreadSanitizer, otherwise 0.
#if __has_feature(thread_sanitizer)
#define MR_BENCH_TSAN 1
#else
#define MR_BENCH_TSAN 0
#endif
