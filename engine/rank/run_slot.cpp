#include "rank/run_slot.h"

#include <atomic>
#include <utility>

#include "runtime/run.h"
#include "runtime/run_pool.h"

namespace millrace::rank {

static_assert(alignof(runtime::Run) > 4, "the values of a slot must not be addresses of runs");

bool RunSlot::begin() {
  // Nobody but this thread changes the word of a call that was answered.
  Word word = word_.load(std::memory_order_relaxed);
  if (word == kNew && word_.compare_exchange_strong(word, kStarting, std::memory_order_relaxed))
    return true;
  word_.store(kStarting, std::memory_order_relaxed);
  return word != kCancelled;
}

bool RunSlot::keep(runtime::RunHandle handle) {
  runtime::Run& run = handle.detach();
  Word word = kStarting;
  if (word_.compare_exchange_strong(word,
                                    reinterpret_cast<Word>(&run),
                                    std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
    return true;
  }
  const runtime::RunHandle kept(run);
  if (word == kCancelled &&
      word_.compare_exchange_strong(
          word, kTaken, std::memory_order_acq_rel, std::memory_order_acquire)) {
    kept.cancel();
    return true;
  }
  return false;
}

bool RunSlot::end() {
  const Word word = word_.exchange(kOver, std::memory_order_acq_rel);
  if (word == kStarting || word == kCancelled) return false;
  if (word != kTaken) const runtime::RunHandle dropped(*reinterpret_cast<runtime::Run*>(word));
  return true;
}

void RunSlot::cancel() {
  Word word = word_.load(std::memory_order_acquire);
  for (;;) {
    if (word == kCancelled || word == kTaken || word == kOver) return;
    const bool has_run = word != kNew && word != kStarting;
    const Word next = has_run ? kTaken : kCancelled;
    if (!word_.compare_exchange_weak(
            word, next, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    if (has_run) {
      const runtime::RunHandle taken(*reinterpret_cast<runtime::Run*>(word));
      taken.cancel();
    }
    return;
  }
}

}  // namespace millrace::rank
