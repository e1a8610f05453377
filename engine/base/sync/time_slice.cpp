#include "base/sync/time_slice.h"

#include <cstdint>
#include <optional>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace millrace::base {
namespace {

/// What the kernel calls sched_attr; the C library has no type for it.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  // of a thread with an ordinary policy: its slice, in nanoseconds
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
  std::uint32_t utilisation_min = 0;
  std::uint32_t utilisation_max = 0;
};

std::optional<SchedulingAttributes> current_attributes() {
  SchedulingAttributes found;
  if (syscall(SYS_sched_getattr, 0, &found, sizeof(found), 0U) != 0) return std::nullopt;
  return found;
}

}  // namespace

std::optional<Duration> ask_for_time_slice(Duration slice) {
  auto wanted = current_attributes();
  if (!wanted || wanted->policy != SCHED_OTHER || slice <= Duration::zero()) return std::nullopt;
  wanted->size = sizeof(SchedulingAttributes);
  wanted->runtime = static_cast<std::uint64_t>(slice.count());
  if (syscall(SYS_sched_setattr, 0, &*wanted, 0U) != 0) return std::nullopt;
  const auto found = current_attributes();
  if (!found || found->runtime == 0) return std::nullopt;
  return Duration(static_cast<std::int64_t>(found->runtime));
}

}  // namespace millrace::base
