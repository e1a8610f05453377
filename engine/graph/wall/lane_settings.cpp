#include "graph/wall/lane_settings.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "base/format.h"
#include "base/sync/thread_settings.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/lane_fields.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"
#include "graph/threads/run_lock.h"

namespace millrace::graph {
namespace {

constexpr int kNiceMin = -20;
constexpr int kNiceMax = 19;

base::ThreadPolicy policy_of(RtPolicy policy) {
  if (policy == RtPolicy::kFifo) return base::ThreadPolicy::kFifo;
  return policy == RtPolicy::kRr ? base::ThreadPolicy::kRoundRobin : base::ThreadPolicy::kNormal;
}

}  // namespace

base::ThreadSettings thread_settings(const LaneSpec& lane) {
  base::ThreadSettings settings;
  if (has_own_threads(lane)) settings.name = lane.thread_name;
  if (lane.enforce == Enforce::kOff) return settings;
  for (const std::int64_t cpu : lane.cpu_affinity) settings.cpus.push_back(static_cast<int>(cpu));
  settings.nice = static_cast<int>(lane.nice_priority);
  settings.policy = policy_of(lane.rt_policy);
  settings.policy_priority = static_cast<int>(lane.rt_priority);
  // A lane's priority is a wish without a unit: the nearest that the system has is niceness.
  if (settings.nice == 0 && lane.priority != 0) {
    settings.nice = static_cast<int>(std::clamp<std::int64_t>(-lane.priority, kNiceMin, kNiceMax));
  }
  return settings;
}

std::vector<base::ThreadSettingOutcome> unmet_settings(const LaneSpec& lane) {
  std::vector<base::ThreadSettingOutcome> unmet;
  if (lane.enforce == Enforce::kOff) return unmet;
  if (lane.isolation_intent == IsolationIntent::kDedicated) {
    unmet.push_back({.field = "isolation_intent",
                     .requested = "dedicated",
                     .effective = "shared",
                     .error = EOPNOTSUPP});
  }
  if (lane.rt_priority != 0 && lane.rt_policy == RtPolicy::kNone) {
    unmet.push_back({.field = "rt_priority",
                     .requested = base::format("{}", lane.rt_priority),
                     .effective = "0",
                     .error = EINVAL});
  }
  return unmet;
}

void LaneSettingsGate::apply(std::uint32_t lane) {
  const LaneSpec& spec = tables_.graph.lanes[lane];
  std::vector<base::ThreadSettingOutcome> outcomes =
      base::apply_thread_settings(thread_settings(spec));
  for (base::ThreadSettingOutcome& unmet : unmet_settings(spec)) outcomes.push_back(unmet);
  if (outcomes.empty() || state_.load(std::memory_order_acquire) != kShut) return;
  const RunLocked locked(tables_.lock);
  for (const base::ThreadSettingOutcome& outcome : outcomes) {
    LaneSettingReport report{.lane = spec.id,
                             .field = std::string(outcome.field),
                             .requested = outcome.requested,
                             .effective = outcome.effective,
                             .error = outcome.error};
    const bool is_required = spec.enforce == Enforce::kRequire && outcome.field != "thread_name";
    if (is_required && !outcome.is_met()) {
      const std::string why = outcome.error == 0 ? std::string("the system did something else")
                                                 : std::generic_category().message(outcome.error);
      tables_.errors.push_back(
          {.phase = "activate",
           .component = {},
           .lane = spec.id,
           .code = "os_setting",
           .message =
               base::format("{} {} was refused ({}); in force is {}. Allow it to the user of "
                            "this process, or use enforce: best_effort",
                            outcome.field,
                            outcome.requested,
                            why,
                            outcome.effective)});
    }
    // The threads of a pool differ at most in who came first.
    const bool is_known =
        std::ranges::find(tables_.lane_settings, report) != tables_.lane_settings.end();
    if (!is_known) tables_.lane_settings.push_back(std::move(report));
  }
}

void LaneSettingsGate::count_in() {
  entered_.fetch_add(1, std::memory_order_release);
  entered_.notify_all();
}

void LaneSettingsGate::enter(std::uint32_t lane, std::uint32_t) {
  apply(lane);
  count_in();
}

bool LaneSettingsGate::enter_domain(std::size_t domain) {
  for (const std::uint32_t lane : tables_.graph.domains[domain].lanes) {
    if (tables_.graph.lanes[lane].type != LaneType::kThreadPool) apply(lane);
  }
  count_in();
  state_.wait(kShut, std::memory_order_acquire);
  return state_.load(std::memory_order_acquire) == kOpen;
}

bool LaneSettingsGate::open_when(std::size_t thread_count, const std::function<void()>& on_open) {
  for (std::uint32_t now = entered_.load(std::memory_order_acquire); now < thread_count;
       now = entered_.load(std::memory_order_acquire)) {
    entered_.wait(now, std::memory_order_acquire);
  }
  bool is_good = false;
  {
    const RunLocked locked(tables_.lock);
    is_good = tables_.errors.empty();
    if (is_good) on_open();
  }
  state_.store(is_good ? kOpen : kRefused, std::memory_order_release);
  state_.notify_all();
  return is_good;
}

void LaneSettingsGate::refuse() {
  state_.store(kRefused, std::memory_order_release);
  state_.notify_all();
}

}  // namespace millrace::graph
