#include "bench/rows/loop_engine.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bench/rows/dataset.h"

namespace millrace::bench {

namespace {

using K = PipelineConstants;

constexpr std::size_t kBufferCount = 4 * K::kTopCount;
constexpr std::uint32_t kNoNumber = std::numeric_limits<std::uint32_t>::max();

bool better(const Scored& left, const Scored& right) {
  if (left.score != right.score) return left.score > right.score;
  return left.id < right.id;
}

// Keeps the best of the offered rows in a buffer; `bound` is the least score that can still win.
struct TopBuffer {
  std::vector<Scored>& best;
  double bound;

  void add(const Scored& row) {
    best.push_back(row);
    if (best.size() < kBufferCount) return;
    cut();
  }
  void cut() {
    const auto worst = best.begin() + (K::kTopCount - 1);
    std::nth_element(best.begin(), worst, best.end(), better);
    bound = worst->score;
    best.resize(K::kTopCount);
  }
  [[nodiscard]] std::span<const Scored> finish() {
    if (best.size() > K::kTopCount) cut();
    std::sort(best.begin(), best.end(), better);
    return best;
  }
};

}  // namespace

std::span<const Scored> FusedLoop::run_with_heap() {
  best_.clear();
  const std::size_t count = data_->id.size();
  const std::int64_t* id = data_->id.data();
  const double* a = data_->a.data();
  const double* b = data_->b.data();
  const double* age = data_->age.data();
  for (std::size_t i = 0; i < count; ++i) {
    const double score = a[i] * K::kWeightA + b[i] * K::kWeightB - age[i] * K::kWeightAge;
    if (!(score >= K::kThreshold)) continue;
    const Scored row{score, id[i]};
    if (best_.size() < K::kTopCount) {
      best_.push_back(row);
      std::push_heap(best_.begin(), best_.end(), better);
    } else if (better(row, best_.front())) {
      std::pop_heap(best_.begin(), best_.end(), better);
      best_.back() = row;
      std::push_heap(best_.begin(), best_.end(), better);
    }
  }
  std::sort_heap(best_.begin(), best_.end(), better);
  return best_;
}

std::span<const Scored> FusedLoop::run_with_buffer() {
  best_.clear();
  best_.reserve(kBufferCount);
  const std::size_t count = data_->id.size();
  const std::int64_t* id = data_->id.data();
  const double* a = data_->a.data();
  const double* b = data_->b.data();
  const double* age = data_->age.data();
  TopBuffer top{best_, K::kThreshold};
  for (std::size_t i = 0; i < count; ++i) {
    const double score = a[i] * K::kWeightA + b[i] * K::kWeightB - age[i] * K::kWeightAge;
    if (score >= top.bound) top.add({score, id[i]});
  }
  return top.finish();
}

PartLoops::PartLoops(const PipelineData& data)
    : data_(&data), scores_(data.id.size()), kept_(data.id.size()) {}

std::span<const double> PartLoops::score() {
  const std::size_t count = data_->id.size();
  const double* a = data_->a.data();
  const double* b = data_->b.data();
  const double* age = data_->age.data();
  double* out = scores_.data();
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = a[i] * K::kWeightA + b[i] * K::kWeightB - age[i] * K::kWeightAge;
  }
  return scores_;
}

std::span<const std::uint32_t> PartLoops::filter() {
  const std::size_t count = data_->id.size();
  const double* score = data_->score.data();
  std::uint32_t* out = kept_.data();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    out[kept] = static_cast<std::uint32_t>(i);
    kept += score[i] >= K::kThreshold ? 1 : 0;
  }
  return {out, kept};
}

std::span<const Scored> PartLoops::top() {
  best_.clear();
  best_.reserve(kBufferCount);
  TopBuffer top{best_, -std::numeric_limits<double>::infinity()};
  const double* score = data_->score.data();
  for (std::size_t i = 0; i < data_->id.size(); ++i) {
    if (score[i] >= top.bound) top.add({score[i], data_->id[i]});
  }
  return top.finish();
}

IntTable::IntTable(std::size_t count_max)
    : slots_(std::bit_ceil(2 * count_max + 2)),
      shift_(64U - static_cast<unsigned>(std::countr_zero(slots_.size()))) {
  clear();
}

void IntTable::clear() {
  std::fill(slots_.begin(), slots_.end(), Slot{0, kNoNumber});
  count_ = 0;
}

std::size_t IntTable::slot_of(std::int64_t key) const {
  std::size_t slot = (static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15U) >> shift_;
  while (slots_[slot].number != kNoNumber && slots_[slot].key != key) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

IntTable::Found IntTable::insert(std::int64_t key) {
  Slot& slot = slots_[slot_of(key)];
  if (slot.number != kNoNumber) return {slot.number, false};
  slot = {key, count_++};
  return {slot.number, true};
}

std::uint32_t IntTable::find(std::int64_t key) const { return slots_[slot_of(key)].number; }

}  // namespace millrace::bench
