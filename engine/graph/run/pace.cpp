#include "graph/run/pace.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "graph/body/message.h"
#include "graph/compile/domains.h"
#include "graph/format/words.h"

namespace millrace::graph {

Pace::Pace(const DomainPlan& plan, Duration phase, OverrunPolicy policy)
    : type_(plan.pace),
      period_(plan.period),
      phase_(plan.pace == PaceType::kGrid ? phase : Duration::zero()),
      policy_(policy),
      slot_(phase_),
      begin_(phase_) {}

std::optional<Duration> Pace::next_start(Duration last_end, std::optional<Duration> work) const {
  switch (type_) {
    case PaceType::kGrid:
      return begin_;
    case PaceType::kSimulated:
      return std::max(last_end, slot_);
    case PaceType::kReady:
      if (!work) return std::nullopt;
      return std::max(last_end, *work);
    case PaceType::kManual:
      return std::nullopt;
  }
  return std::nullopt;
}

std::uint64_t Pace::end(Duration finish) {
  if (type_ == PaceType::kSimulated) slot_ += period_;
  return type_ == PaceType::kGrid ? end_on_grid(finish) : 0;
}

std::uint64_t Pace::end_on_grid(Duration finish) {
  const Duration ticked = slot_;
  const bool may_catch_up = policy_ == OverrunPolicy::kCatchUpOnce && !is_catching_up_;
  is_catching_up_ = false;
  if (finish <= ticked + period_) {
    begin_ = slot_ = ticked + period_;
    return 0;
  }
  const auto over = (finish - phase_).count();
  const Duration at_or_before = phase_ + period_ * (over / period_.count());
  const Duration at_or_after = at_or_before == finish ? finish : at_or_before + period_;
  if (may_catch_up && at_or_before != finish) {
    slot_ = at_or_before;
    begin_ = finish;
    is_catching_up_ = true;
  } else if (policy_ == OverrunPolicy::kSkipNext) {
    begin_ = slot_ = at_or_after + period_;
  } else {
    begin_ = slot_ = at_or_after;
  }
  return static_cast<std::uint64_t>((slot_ - ticked) / period_) - 1;
}

}  // namespace millrace::graph
