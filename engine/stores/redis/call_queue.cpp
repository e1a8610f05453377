#include "stores/redis/call_queue.h"

#include "stores/redis/redis_call.h"

namespace millrace::stores {

void CallQueue::push(RedisCall& call) {
  call.tag_ = virtual_time_ + call.command_count_;
  call.place_ = arrivals_++;
  calls_.emplace(Place{call.tag_, call.place_}, &call);
}

void CallQueue::pop_front() {
  const auto first = calls_.begin();
  virtual_time_ = first->first.first;
  calls_.erase(first);
}

}  // namespace millrace::stores
