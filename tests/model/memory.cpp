#include "memory.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::model {
namespace {

// Used in a history for an operation that reads nothing: a thread before it and one after it have
// observed the same, but must not be treated as the same state.
constexpr std::uint64_t kFenceMark = ~std::uint64_t{0};

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

}  // namespace

void Clock::join(const Clock& other) {
  for (std::size_t thread = 0; thread < times.size(); ++thread) {
    times[thread] = std::max(times[thread], other.times[thread]);
  }
}

Memory::Memory(StoreOrder order) : order_(order) {
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    threads_[thread].clock.times[thread] = 1;
  }
}

std::uint64_t Memory::next_write_id(std::size_t thread) {
  ThreadMemory& self = threads_[thread];
  ++self.clock.times[thread];
  return (static_cast<std::uint64_t>(thread) << 32) | ++self.operation_count;
}

void Memory::write(Location& location,
                   std::uint64_t value,
                   std::uint64_t write_id,
                   const Clock& released) {
  contents_ -= mix(location.id, location.write_id);
  location.value = value;
  location.write_id = write_id;
  location.released = released;
  contents_ += mix(location.id, location.write_id);
  ++version_;
}

void Memory::create(std::size_t thread, Location& location, std::uint64_t value) {
  location.id = (static_cast<std::uint64_t>(thread) << 32) | ++threads_[thread].location_count;
  location.value = value;
  location.write_id = next_write_id(thread);
  contents_ += mix(location.id, location.write_id);
}

bool Memory::read_plain(std::size_t thread, AccessRecord& record) {
  const Clock& clock = threads_[thread].clock;
  record.reads.times[thread] = clock.times[thread];
  return clock.covers(record.writer, record.write_time);
}

bool Memory::write_plain(std::size_t thread, AccessRecord& record) {
  const Clock& clock = threads_[thread].clock;
  bool ordered = clock.covers(record.writer, record.write_time);
  for (std::size_t reader = 0; reader < record.reads.times.size(); ++reader) {
    ordered = ordered && clock.covers(reader, record.reads.times[reader]);
  }
  record = {.writer = thread, .write_time = clock.times[thread], .reads = {}};
  return ordered;
}

void Memory::observe(std::size_t thread, std::uint64_t what) {
  threads_[thread].history = mix(threads_[thread].history, what);
}

std::uint64_t Memory::load(std::size_t thread, const Location& location, std::memory_order order) {
  ThreadMemory& self = threads_[thread];
  for (auto pending = self.buffer.rbegin(); pending != self.buffer.rend(); ++pending) {
    if (pending->location != &location) continue;
    observe(thread, pending->write_id);
    return pending->value;
  }
  observe(thread, location.write_id);
  (acquires(order) ? self.clock : self.relaxed_acquire).join(location.released);
  return location.value;
}

void Memory::store(std::size_t thread,
                   Location& location,
                   std::uint64_t value,
                   std::memory_order order) {
  ThreadMemory& self = threads_[thread];
  const Clock released = releases(order) ? self.clock : self.release_fence;
  const std::uint64_t write_id = next_write_id(thread);
  if (thread == 0 || order_ == StoreOrder::kSequential) {
    write(location, value, write_id, released);
    return;
  }
  self.buffer.push_back({.location = &location,
                         .value = value,
                         .write_id = write_id,
                         .released = released,
                         .is_release = releases(order),
                         .is_seq_cst = order == std::memory_order_seq_cst,
                         .fence_count = self.fence_count});
}

void Memory::exchange(std::size_t thread,
                      Location& location,
                      std::uint64_t value,
                      std::memory_order order) {
  ThreadMemory& self = threads_[thread];
  Clock released = releases(order) ? self.clock : self.release_fence;
  released.join(location.released);  // A read-modify-write continues the release sequence.
  write(location, value, next_write_id(thread), released);
}

void Memory::fence_seq_cst(std::size_t thread) {
  ThreadMemory& self = threads_[thread];
  self.clock.join(self.relaxed_acquire);
  self.release_fence = self.clock;
  ++self.clock.times[thread];
  ++self.fence_count;
  observe(thread, kFenceMark);
}

Drain Memory::drain_before_update(std::memory_order order) const {
  if (order_ == StoreOrder::kPartial && !releases(order)) return Drain::kSameLocation;
  return Drain::kEverything;
}

Drain Memory::drain_before_load(std::memory_order order) {
  return order == std::memory_order_seq_cst ? Drain::kSeqCstStores : Drain::kNothing;
}

bool Memory::is_drained(std::size_t thread, Drain drain, const Location* location) const {
  const std::vector<PendingStore>& buffer = threads_[thread].buffer;
  switch (drain) {
    case Drain::kNothing:
      return true;
    case Drain::kSameLocation:
      return std::ranges::none_of(
          buffer, [&](const PendingStore& pending) { return pending.location == location; });
    case Drain::kSeqCstStores:
      return std::ranges::none_of(buffer, &PendingStore::is_seq_cst);
    case Drain::kEverything:
      return buffer.empty();
  }
  return false;
}

bool Memory::can_flush(std::size_t thread, std::size_t index) const {
  if (index == 0 || order_ != StoreOrder::kPartial) return index == 0;
  const std::vector<PendingStore>& buffer = threads_[thread].buffer;
  const PendingStore& candidate = buffer[index];
  if (candidate.is_release) return false;
  return std::none_of(buffer.begin(),
                      buffer.begin() + static_cast<std::ptrdiff_t>(index),
                      [&](const PendingStore& earlier) {
                        return earlier.location == candidate.location ||
                               earlier.fence_count != candidate.fence_count;
                      });
}

void Memory::flush(std::size_t thread, std::size_t index) {
  std::vector<PendingStore>& buffer = threads_[thread].buffer;
  const PendingStore pending = buffer[index];
  buffer.erase(buffer.begin() + static_cast<std::ptrdiff_t>(index));
  write(*pending.location, pending.value, pending.write_id, pending.released);
}

void Memory::join_all() {
  Clock everything;
  for (const ThreadMemory& thread : threads_) everything.join(thread.clock);
  for (ThreadMemory& thread : threads_) thread.clock = everything;
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    ++threads_[thread].clock.times[thread];
  }
}

std::uint64_t Memory::fingerprint() const {
  std::uint64_t hash = contents_;
  for (const ThreadMemory& thread : threads_) {
    hash = mix(hash, thread.history);
    hash = mix(hash, thread.operation_count);
    for (const PendingStore& pending : thread.buffer) hash = mix(hash, pending.write_id);
    hash = mix(hash, thread.buffer.size());
  }
  return hash;
}

}  // namespace millrace::model
