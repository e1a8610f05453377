#include "stores/redis/fetch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "rows/row_scratch.h"
#include "stores/redis/protocol/batch_reply.h"
#include "stores/store_client.h"

namespace millrace::stores {

Fetch::Fetch(FetchHost& host, loop::Loop& loop, CommandBatch batch)
    : host_(host),
      loop_(loop),
      batch_(std::move(batch)),
      shape_{.command = batch_.command,
             .form = batch_.form,
             .count = batch_.count,
             .field_count = batch_.fields.size(),
             .reversed = batch_.reversed,
             .with_scores = batch_.with_scores} {}

Fetch::~Fetch() {
  if (first_) host_.withdraw(*first_);
  if (second_) host_.withdraw(*second_);
}

base::Status Fetch::start(rows::RowScratch& scratch, base::Duration hedge_after) {
  scratch_ = &scratch;
  const std::size_t commands = shape_.command == StoreCommand::kMultiGet ? 1 : size();
  first_.emplace(*this, scratch, static_cast<std::uint32_t>(commands));
  MR_TRY_STATUS(host_.send(*first_));
  if (hedge_after.count() == 0) return {};
  hedge_timer_.emplace(loop_, *this);
  hedge_timer_->start(hedge_after);
  return {};
}

void Fetch::hedge() {
  if (done_ || !first_->is_under_way()) return;
  second_.emplace(*this, *scratch_, first_->command_count());
  second_->avoids = &*first_;
  // The first attempt is still under way, so a refusal changes nothing.
  if (!host_.send(*second_)) second_.reset();
}

void Fetch::Attempt::keep(const std::shared_ptr<char[]>& block) {
  if (fetch_.shape_.form == ValueForm::kInt64 || block == block_) return;
  if (block_ != nullptr) more_blocks_.push_back(std::move(block_));
  block_ = block;
}

std::shared_ptr<const void> Fetch::Attempt::take_memory() {
  if (more_blocks_.empty()) return std::move(block_);
  more_blocks_.push_back(std::move(block_));
  return std::make_shared<std::vector<std::shared_ptr<char[]>>>(std::move(more_blocks_));
}

void Fetch::on_done(Attempt& attempt, base::Status status) {
  const std::shared_ptr<Fetch> self = shared_from_this();
  std::optional<Attempt>& other = &attempt == &*first_ ? second_ : first_;
  const bool other_runs = other.has_value() && other->is_under_way();
  if (!status && other_runs) return;
  if (other_runs) host_.withdraw(*other);
  done_ = true;
  if (status) {
    errors_ = attempt.reply().take_errors();
    reply_ = attempt.reply().finish();
    reply_.command_count = attempt.command_count();
    reply_.round_trip_count = 1;
    reply_.memory = attempt.take_memory();
  }
  status_ = std::move(status);
  host_.on_fetched(*this);
  tell();
}

void Fetch::tell() {
  // A waiter that is told may remove itself and others; none can be added any more.
  for (std::size_t i = 0; i < waiters_.size(); ++i) {
    if (waiters_[i] != nullptr) waiters_[i]->on_fetched();
  }
}

void Fetch::remove_waiter(FetchWaiter& waiter) {
  const auto found = std::ranges::find(waiters_, &waiter);
  if (found == waiters_.end()) return;
  *found = nullptr;
  const bool is_wanted =
      std::ranges::any_of(waiters_, [](const FetchWaiter* other) { return other != nullptr; });
  if (!is_wanted && !done_) {
    done_ = true;
    if (first_) host_.withdraw(*first_);
    if (second_) host_.withdraw(*second_);
    host_.on_unwanted(*this);
  }
}

const base::Error* Fetch::find_error(std::size_t key) const {
  for (const KeyError& error : errors_) {
    if (error.key_index == key || error.key_index == KeyError::kAllKeys) return &error.error;
  }
  return nullptr;
}

}  // namespace millrace::stores
