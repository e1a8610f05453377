#pragma once

namespace millrace::base {

/// The processor that the calling thread runs on just now; negative if the system does not say.
/// Threading: any thread.
[[nodiscard]] int current_processor() noexcept;

/// Moves the calling thread away from `processor`, to any other that it may use, and leaves it as
/// free as it was: the kernel may move it again at any time. False: it may use no other.
/// Threading: any thread, for itself. Takes a few microseconds.
bool leave_processor(int processor) noexcept;

}  // namespace millrace::base
