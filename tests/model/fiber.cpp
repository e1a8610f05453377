#include "fiber.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <ucontext.h>

#include "base/check.h"

#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#endif

namespace millrace::model {
namespace {
constexpr std::size_t kStackBytes = std::size_t{256} * 1024;
}  // namespace

Fiber::Fiber() {
#if __has_feature(thread_sanitizer)
  tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(std::function<void()> entry)
    : entry_(std::move(entry)),
      stack_(std::make_unique_for_overwrite<char[]>(kStackBytes)),
      stack_bottom_(stack_.get()),
      stack_bytes_(kStackBytes) {
  const int result = getcontext(&context_);
  MR_CHECK(result == 0);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = kStackBytes;
  // makecontext passes ints only.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&context_,
              reinterpret_cast<void (*)()>(&Fiber::start),
              2,
              static_cast<unsigned>(self),
              static_cast<unsigned>(self >> 32));
#if __has_feature(thread_sanitizer)
  tsan_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if __has_feature(thread_sanitizer)
  if (stack_) __tsan_destroy_fiber(tsan_fiber_);
#endif
}

void Fiber::start(unsigned low, unsigned high) {
  auto* const self =
      std::bit_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | std::uintptr_t{low});
  self->note_arrival();
  self->entry_();
  MR_CHECK(false, "a fiber's function returned");
}

void Fiber::switch_to(Fiber& next) {
  next.previous_ = this;
#if __has_feature(address_sanitizer)
  __sanitizer_start_switch_fiber(&fake_stack_, next.stack_bottom_, next.stack_bytes_);
#endif
#if __has_feature(thread_sanitizer)
  __tsan_switch_to_fiber(next.tsan_fiber_, 0);
#endif
  const int result = swapcontext(&context_, &next.context_);
  MR_CHECK(result == 0);
  note_arrival();
}

void Fiber::note_arrival() {
#if __has_feature(address_sanitizer)
  // Reports where the stack of the previous fiber is: this is how the thread's own fiber learns its
  // bounds.
  __sanitizer_finish_switch_fiber(fake_stack_, &previous_->stack_bottom_, &previous_->stack_bytes_);
#endif
}

}  // namespace millrace::model
