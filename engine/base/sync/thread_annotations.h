#pragma once

// Clang's thread-safety attributes under project names; -Wthread-safety checks them at compile
// time.
#define MR_CAPABILITY(name) __attribute__((capability(name)))
#define MR_SCOPED_CAPABILITY __attribute__((scoped_lockable))
#define MR_GUARDED_BY(capability) __attribute__((guarded_by(capability)))
#define MR_REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define MR_EXCLUDES(...) __attribute__((locks_excluded(__VA_ARGS__)))
#define MR_ACQUIRE(...) __attribute__((acquire_capability(__VA_ARGS__)))
#define MR_RELEASE(...) __attribute__((release_capability(__VA_ARGS__)))
#define MR_TRY_ACQUIRE(...) __attribute__((try_acquire_capability(__VA_ARGS__)))
#define MR_ASSERT_CAPABILITY(capability) __attribute__((assert_capability(capability)))
#define MR_RETURN_CAPABILITY(capability) __attribute__((lock_returned(capability)))
#define MR_NO_THREAD_SAFETY_ANALYSIS __attribute__((no_thread_safety_analysis))
