#include "stores/redis/fetch_wait.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "loop/one_shot_wait.h"
#include "loop/stop.h"
#include "loop/task_promise.h"
#include "rows/row_scratch.h"
#include "stores/redis/fetch.h"
#include "stores/store_client.h"

namespace millrace::stores {

using base::ErrorCode;
using base::fail;
using loop::WaitEnd;

DeadlineList::~DeadlineList() { MR_CHECK(waits_.empty(), waits_.size()); }

void DeadlineList::add(FetchWait& wait) {
  wait.list_index_ = waits_.size();
  waits_.push_back(&wait);
  arm(*wait.options_.deadline);
}

void DeadlineList::remove(FetchWait& wait) {
  if (wait.list_index_ == SIZE_MAX) return;
  FetchWait* const last = waits_.back();
  waits_[wait.list_index_] = last;
  last->list_index_ = wait.list_index_;
  waits_.pop_back();
  wait.list_index_ = SIZE_MAX;
}

void DeadlineList::arm(base::TimePoint when) {
  if (armed_at_ && *armed_at_ <= when) return;
  armed_at_ = when;
  timer_.start_at(when);
}

void DeadlineList::on_timer() {
  armed_at_.reset();
  const base::TimePoint now = loop_.clock().now();
  // A wait that goes on may change the list at will. One that is missed by that is due at once.
  for (std::size_t i = 0; i < waits_.size();) {
    FetchWait& wait = *waits_[i];
    if (*wait.options_.deadline > now) {
      ++i;
      continue;
    }
    remove(wait);
    wait.end(WaitEnd::kTimedOut);
  }
  for (const FetchWait* const wait : waits_) arm(*wait->options_.deadline);
}

FetchWait::~FetchWait() {
  // First, so that no stop request can end the wait from now on.
  disconnect();
  leave();
}

void FetchWait::leave() {
  deadlines_.remove(*this);
  for (const Part& part : parts_) {
    if (part.fetch != nullptr) part.fetch->remove_waiter(*this);
  }
}

std::uint32_t FetchWait::add_part(Part part) {
  if (part.fetch != nullptr) {
    part.fetch->add_waiter(*this);
    ++pending_;
  }
  parts_.push_back(std::move(part));
  return static_cast<std::uint32_t>(parts_.size() - 1);
}

std::uint32_t FetchWait::part_of(Fetch& fetch) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].fetch.get() == &fetch) return static_cast<std::uint32_t>(i);
  }
  return add_part({.fetch = fetch.shared_from_this(), .cached = nullptr});
}

bool FetchWait::suspend(loop::TaskPromise& task) {
  begin(task);
  if (options_.deadline) deadlines_.add(*this);
  if (!try_connect(options_.stop)) end(WaitEnd::kCancelled);
  return finish_suspending();
}

void FetchWait::on_fetched() {
  if (--pending_ == 0) end(WaitEnd::kDone);
}

void FetchWait::stopped(StopCallback& callback) {
  // Posted, because the mutex of the source is held here.
  static_cast<FetchWait&>(callback).end_posted(WaitEnd::kCancelled);
}

base::Status FetchWait::await_resume() {
  disconnect();
  deadlines_.remove(*this);
  // Nothing has ended it when all parts were there from the start.
  const auto how = ended();
  if (!how || *how == WaitEnd::kDone) return {};
  leave();
  if (*how == WaitEnd::kTimedOut) {
    return fail(ErrorCode::kTimeout, "The store did not answer before the deadline");
  }
  return fail(ErrorCode::kCancelled, "The run is over");
}

base::Status FetchWait::check_parts() const {
  for (const Part& part : parts_) {
    if (part.fetch != nullptr && !part.fetch->status()) return part.fetch->status();
  }
  if (sources.empty()) {
    const auto& errors = parts_.front().fetch->errors();
    return errors.empty() ? base::Status() : std::unexpected(errors.front().error);
  }
  for (const Source& source : sources) {
    const Part& part = parts_[source.part];
    if (part.fetch == nullptr || part.fetch->errors().empty()) continue;
    if (const base::Error* error = part.fetch->find_error(source.index)) {
      return std::unexpected(*error);
    }
  }
  return {};
}

base::Result<StoreReply> FetchWait::assemble(rows::RowScratch& scratch) {
  MR_TRY_STATUS(check_parts());
  if (sources.empty() && parts_.front().fetch->is_unshared()) {
    return parts_.front().fetch->take_reply();
  }
  return copy_all(scratch);
}

base::Result<StoreReply> FetchWait::copy_all(rows::RowScratch& scratch) const {
  const StoreReply& first = parts_.front().reply();
  const std::size_t key_count = sources.empty() ? first.ends.size() : sources.size();
  const auto source_of = [&](std::size_t key) {
    return sources.empty() ? Source{.part = 0, .index = static_cast<std::uint32_t>(key)}
                           : sources[key];
  };
  StoreReply out;
  out.ends = scratch.make_array<std::uint32_t>(key_count);
  std::size_t total = 0;
  for (std::size_t key = 0; key < key_count; ++key) {
    const Source source = source_of(key);
    const StoreReply& reply = parts_[source.part].reply();
    total += reply.ends[source.index] - reply.begin_of(source.index);
    out.ends[key] = static_cast<std::uint32_t>(total);
  }
  const auto gather = [&](auto member, auto& values) {
    using Values = std::remove_reference_t<decltype(values)>;
    values = scratch.make_array<std::remove_cvref_t<decltype(std::declval<Values&>()[0])>>(total);
    for (std::size_t key = 0; key < key_count; ++key) {
      const Source source = source_of(key);
      const StoreReply& reply = parts_[source.part].reply();
      const std::uint32_t begin = reply.begin_of(source.index);
      const std::size_t count = reply.ends[source.index] - begin;
      if (count == 0) continue;
      std::memcpy(&values[out.begin_of(key)], &(reply.*member)[begin], count * sizeof(values[0]));
    }
  };
  bool has_integers = false;
  bool has_scores = false;
  for (const Part& part : parts_) {
    has_integers |= !part.reply().integers.empty();
    has_scores |= !part.reply().scores.empty();
  }
  if (has_integers) {
    gather(&StoreReply::integers, out.integers);
    if (has_scores) gather(&StoreReply::scores, out.scores);
  } else {
    gather(&StoreReply::texts, out.texts);
  }
  auto memory = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  for (const Part& part : parts_) {
    memory->push_back(part.reply().memory);
    if (part.fetch == nullptr) continue;
    out.round_trip_count = 1;
  }
  out.command_count = first.command_count;
  out.memory = std::move(memory);
  return out;
}

}  // namespace millrace::stores
