#include "bench/capacity/timeline.h"

#include <cstdint>

namespace millrace::bench {

void Timeline::after(double seconds, Actor& actor, std::uint64_t word) {
  events_.push({.at = now_ + seconds, .order = next_order_++, .actor = &actor, .word = word});
}

bool Timeline::step() {
  if (events_.empty()) return false;
  const Event event = events_.top();
  events_.pop();
  now_ = event.at;
  event.actor->on_event(event.word);
  return true;
}

}  // namespace millrace::bench
