#include "rank/answer/long_answer.h"

#include <memory>
#include <new>
#include <utility>

#include "rows/stop_check.h"
#include "runtime/run.h"

namespace millrace::rank {

void LongAnswer::start(Order order) {
  LongAnswer* const answer = new LongAnswer(std::move(order));
  if (answer->order_.loop->is_current()) return answer->begin();
  answer->order_.loop->post(*answer);
}

void LongAnswer::begin_on_loop(Job& job) { static_cast<LongAnswer&>(job).begin(); }

void LongAnswer::begin() {
  run = &write_on_worker;
  if (order_.deadline) order_.loop->arm(*this, *order_.deadline);
  order_.workers->post(*this);
}

bool LongAnswer::try_leave_writing(State next) {
  State writing = State::kWriting;
  return state_.compare_exchange_strong(writing, next, std::memory_order_acq_rel);
}

void LongAnswer::write_on_worker(Job& job) {
  auto& self = static_cast<LongAnswer&>(job);
  self.end_ = self.write();
  self.written_at_ = self.order_.loop->clock().now();
  if (!self.try_leave_writing(State::kWritten)) {
    const std::unique_ptr<LongAnswer> unwanted(&self);
    return;
  }
  self.run = &end_on_loop;
  self.order_.loop->post(self);
}

AnswerEnd LongAnswer::write() {
  const auto is_taken = [](const void* self) {
    return static_cast<const LongAnswer*>(self)->state_.load(std::memory_order_relaxed) ==
           State::kTaken;
  };
  if (is_taken(this)) return AnswerEnd::kLate;
  try {
    order_.options.stop = rows::StopCheck(is_taken, this, {});
    const AnswerEnd end = append_rows(*order_.run, order_.ended.run(), order_.options, order_.text);
    if (end != AnswerEnd::kWritten) return end;
  } catch (const std::bad_alloc&) {
    return AnswerEnd::kNoMemory;
  }
  // The loop may have been too busy for the timer (C11).
  const bool is_late = order_.deadline &&
                       order_.loop->clock().now() > *order_.deadline + runtime::kAnswerLatenessMax;
  return is_late ? AnswerEnd::kLate : AnswerEnd::kWritten;
}

void LongAnswer::end_on_loop(Job& job) {
  const std::unique_ptr<LongAnswer> self(&static_cast<LongAnswer&>(job));
  // On the loop thread the timer does not fire after this, whatever it returns.
  static_cast<void>(self->order_.loop->disarm(*self));
  const bool is_late = self->end_ == AnswerEnd::kLate;
  self->order_.done(is_late ? nullptr : self.get(), self->end_, self->order_.data);
}

void LongAnswer::fired(Timer& timer) {
  auto& self = static_cast<LongAnswer&>(timer);
  const Done done = self.order_.done;
  void* const data = self.order_.data;
  if (self.try_leave_writing(State::kTaken)) done(nullptr, AnswerEnd::kLate, data);
}

}  // namespace millrace::rank
