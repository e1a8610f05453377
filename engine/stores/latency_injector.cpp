#include "stores/latency_injector.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/task.h"
#include "stores/store_client.h"

namespace millrace::stores {

using base::ErrorCode;
using base::fail;
using base::Result;

LatencyRule LatencyInjector::verdict(const CommandBatch& batch) const {
  LatencyRule worst;
  for (std::size_t key = 0; key < batch.keys.size(); ++key) {
    const auto rule = std::ranges::find_if(rules_, [&](const LatencyRule& candidate) {
      return (!candidate.command || *candidate.command == batch.command) &&
             batch.keys[key].starts_with(candidate.key_prefix);
    });
    if (rule == rules_.end()) continue;
    worst.delay = std::max(worst.delay, rule->delay);
    worst.fate = std::max(worst.fate, rule->fate);
  }
  return worst;
}

void LatencyInjector::count(const CommandBatch& batch) {
  cells_.commands.add(command_count_of(batch));
  cells_.batches.add();
  if (last_turn_ != loop_.turn_number()) cells_.round_trips.add();
  last_turn_ = loop_.turn_number();
}

loop::Task<Result<StoreReply>> LatencyInjector::execute(CommandBatch batch, CallOptions options) {
  count(batch);
  LatencyRule rule = verdict(batch);
  const base::TimePoint ready = loop_.clock().now() + rule.delay;
  const bool never = rule.fate == Fate::kHang;
  const bool late = options.deadline && (never || *options.deadline < ready);
  if (late) rule.fate = Fate::kTimeout;
  const base::TimePoint when = late ? *options.deadline : never ? base::TimePoint::max() : ready;
  MR_CO_TRY_STATUS(co_await loop::sleep_until(loop_, when, options.stop));
  if (rule.fate == Fate::kTimeout) {
    co_return fail(ErrorCode::kTimeout,
                   "The store did not answer in time: " + std::string(to_string(batch.command)));
  }
  if (rule.fate == Fate::kFail) {
    co_return fail(ErrorCode::kUnavailable,
                   "The store is down: " + std::string(to_string(batch.command)));
  }
  co_return co_await inner_.execute(std::move(batch), options);
}

}  // namespace millrace::stores
