#include "loop/timer_queue.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/check.h"
#include "base/clock.h"
#include "base/sync/mutex.h"
#include "loop/loop.h"

namespace millrace::loop {

TimerQueue::~TimerQueue() {
  const base::MutexLock lock(mutex_);
  MR_CHECK(heap_.empty(), heap_.size());
}

void TimerQueue::arm(Timer& timer, base::TimePoint when) {
  const base::MutexLock lock(mutex_);
  const Entry entry{when, next_sequence_++, &timer};
  if (timer.heap_index_ == Timer::kNotArmed) {
    heap_.push_back(entry);
    sift_up(heap_.size() - 1, entry);
  } else {
    MR_CHECK(heap_[timer.heap_index_].timer == &timer);
    replace(timer.heap_index_, entry);
  }
  if (alarm_ != nullptr && (!alarm_at_ || when < *alarm_at_)) {
    alarm_at_ = when;
    alarm_->set(when);
  }
}

bool TimerQueue::disarm(Timer& timer) {
  const base::MutexLock lock(mutex_);
  if (timer.heap_index_ == Timer::kNotArmed) return false;
  MR_CHECK(heap_[timer.heap_index_].timer == &timer);
  remove(timer.heap_index_);
  return true;
}

std::optional<base::TimePoint> TimerQueue::earliest() const {
  const base::MutexLock lock(mutex_);
  if (heap_.empty()) return std::nullopt;
  return heap_.front().when;
}

std::size_t TimerQueue::size() const {
  const base::MutexLock lock(mutex_);
  return heap_.size();
}

bool TimerQueue::fire_next(base::TimePoint now) {
  Timer* timer = nullptr;
  {
    const base::MutexLock lock(mutex_);
    if (heap_.empty() || heap_.front().when > now) return false;
    timer = &remove(0);
  }
  timer->fire_(*timer);
  return true;
}

bool TimerQueue::drop_next() {
  Timer* timer = nullptr;
  {
    const base::MutexLock lock(mutex_);
    if (heap_.empty()) return false;
    timer = &remove(0);
  }
  if (timer->drop_ != nullptr) timer->drop_(*timer);
  return true;
}

void TimerQueue::reset_alarm() {
  const base::MutexLock lock(mutex_);
  if (alarm_ == nullptr) return;
  if (heap_.empty()) {
    alarm_at_.reset();
    alarm_->clear();
  } else {
    alarm_at_ = heap_.front().when;
    alarm_->set(*alarm_at_);
  }
}

bool TimerQueue::before(const Entry& left, const Entry& right) {
  return left.when != right.when ? left.when < right.when : left.sequence < right.sequence;
}

void TimerQueue::place(std::size_t index, const Entry& entry) {
  heap_[index] = entry;
  entry.timer->heap_index_ = static_cast<std::uint32_t>(index);
}

void TimerQueue::sift_up(std::size_t index, const Entry& entry) {
  while (index > 0) {
    const std::size_t parent = (index - 1) / kChildren;
    if (!before(entry, heap_[parent])) break;
    place(index, heap_[parent]);
    index = parent;
  }
  place(index, entry);
}

void TimerQueue::sift_down(std::size_t index, const Entry& entry) {
  for (;;) {
    const std::size_t first = index * kChildren + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + kChildren, heap_.size());
    std::size_t best = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (before(heap_[child], heap_[best])) best = child;
    }
    if (!before(heap_[best], entry)) break;
    place(index, heap_[best]);
    index = best;
  }
  place(index, entry);
}

void TimerQueue::replace(std::size_t index, const Entry& entry) {
  if (index > 0 && before(entry, heap_[(index - 1) / kChildren])) {
    sift_up(index, entry);
  } else {
    sift_down(index, entry);
  }
}

Timer& TimerQueue::remove(std::size_t index) {
  Timer& timer = *heap_[index].timer;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (index < heap_.size()) replace(index, last);
  timer.heap_index_ = Timer::kNotArmed;
  return timer;
}

}  // namespace millrace::loop
