#include "bench/capacity/station.h"

#include <cstdint>

#include "bench/capacity/timeline.h"

namespace millrace::bench {

void Station::submit(const Job& job) {
  waiting_.push_back(job);
  start_all();
}

void Station::start_all() {
  while (can_run()) {
    if (host_.free_cores_ == 0) {
      if (!waits_for_core_) host_.waiting_.push_back(this);
      waits_for_core_ = true;
      return;
    }
    start_one();
  }
}

void Station::start_one() {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = waiting_.front();
  waiting_.pop_front();
  ++running_;
  --host_.free_cores_;
  busy_seconds_ += slots_[slot].seconds;
  timeline_.after(slots_[slot].seconds, *this, slot);
}

void Station::on_event(std::uint64_t word) {
  const auto slot = static_cast<std::uint32_t>(word);
  const Job job = slots_[slot];
  free_slots_.push_back(slot);
  --running_;
  ++host_.free_cores_;
  // Stations that waited longer come first; this one queues behind them.
  while (host_.free_cores_ > 0 && !host_.waiting_.empty()) {
    Station& next = *host_.waiting_.front();
    host_.waiting_.pop_front();
    next.waits_for_core_ = false;
    if (next.can_run()) next.start_one();
    next.start_all();
  }
  start_all();
  job.done->on_event(job.word);
}

}  // namespace millrace::bench
