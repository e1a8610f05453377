#include "graph/compile/channel_checks.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/format.h"
#include "graph/compile/links.h"
#include "graph/format/diagnostic.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

bool holds_one_value(ChannelMode mode) {
  return mode == ChannelMode::kLatest || mode == ChannelMode::kLatched ||
         mode == ChannelMode::kPreviousTick;
}

class ChannelChecker {
 public:
  ChannelChecker(const CheckContext& context, const Links& links)
      : spec_(context.spec), links_(links), reporter_(context.reporter) {}

  void run() {
    for (const LinkedEdge& edge : links_.edges) {
      const EdgeSpec& spec = spec_.edges[edge.spec_index];
      check_buffer(spec);
      check_writer(spec);
      check_readers(edge, spec);
      check_blocking(edge, spec);
      if (spec.kind != EdgeKind::kAsync && spec.policy.source &&
          spec.policy.source->find_member("max_inflight")) {
        report(DiagnosticCode::kMaxInflightNeedsAsync,
               spec,
               "max_inflight",
               base::format("The edge is {}, not async", to_string(spec.kind)));
      }
    }
  }

 private:
  void report(DiagnosticCode code,
              const EdgeSpec& edge,
              std::string_view field,
              std::string message,
              std::string fix = {}) {
    const auto& owner = edge.policy.source ? edge.policy.source : edge.source;
    reporter_.at_member(code, owner, field, std::move(message), std::move(fix));
  }

  void check_buffer(const EdgeSpec& edge) {
    const ChannelSpec& policy = edge.policy;
    const std::string_view mode = to_string(policy.mode);
    constexpr DiagnosticCode kCode = DiagnosticCode::kInvalidChannelPolicy;
    if (policy.capacity == 0) {
      report(kCode, edge, "capacity", "A buffer holds at least one message", "write capacity: 1");
    }
    if (policy.mode == ChannelMode::kPreviousTick && edge.kind != EdgeKind::kImmediate) {
      report(kCode,
             edge,
             "mode",
             base::format("previous_tick needs an immediate edge, this one is {}",
                          to_string(edge.kind)),
             "use mode: latest");
    }
    if (!holds_one_value(policy.mode)) return;
    if (policy.capacity > 1) {
      report(kCode,
             edge,
             "capacity",
             base::format("Mode {} holds one value, not {}", mode, policy.capacity));
    }
    if (policy.overflow == EdgeOverflow::kDropNewest || policy.overflow == EdgeOverflow::kBlock) {
      report(kCode,
             edge,
             "overflow",
             base::format("Mode {} cannot {}", mode, to_string(policy.overflow)));
    }
  }

  void check_writer(const EdgeSpec& edge) {
    if (edge.kind != EdgeKind::kState) return;
    const auto [first, is_new] = state_writers_.emplace(edge.to, &edge);
    if (is_new) return;
    reporter_.at_member(
        DiagnosticCode::kMultiStateWriter,
        edge.source,
        "to",
        base::format("Edge '{}' writes the state '{}' too", first->second->id, edge.to));
  }

  void check_readers(const LinkedEdge& linked, const EdgeSpec& edge) {
    const ChannelSpec& policy = edge.policy;
    const bool is_multi = policy.readers == Readers::kMulti;
    if (policy.copy_policy == CopyPolicy::kMoveOnly) {
      const auto& siblings = links_.components[linked.from].out;
      const auto count = std::ranges::count_if(siblings, [&](std::uint32_t other) {
        return links_.edges[other].from_port == linked.from_port;
      });
      if (count > 1 || is_multi) {
        report(DiagnosticCode::kInvalidMoveOnlyMultireader,
               edge,
               "copy_policy",
               base::format("'{}' has more than one reader", edge.from));
      }
    }
    const bool can_evict =
        policy.overflow == EdgeOverflow::kOverwrite || policy.overflow == EdgeOverflow::kDropOldest;
    if (is_multi && can_evict && !holds_one_value(policy.mode)) {
      report(DiagnosticCode::kSlowReaderDropRisk,
             edge,
             "readers",
             base::format("A reader that is {} messages behind misses some", policy.capacity));
    }
  }

  void check_blocking(const LinkedEdge& linked, const EdgeSpec& edge) {
    const auto lane = links_.components[linked.from].lane;
    if (edge.policy.overflow != EdgeOverflow::kBlock || !lane) return;
    if (spec_.lanes[*lane].type == LaneType::kIsolatedThread) return;
    report(DiagnosticCode::kBlockWithoutIsolatedLane,
           edge,
           "overflow",
           base::format("Lane '{}' cannot wait: a full buffer refuses", spec_.lanes[*lane].id));
  }

  const GraphSpec& spec_;
  const Links& links_;
  Reporter& reporter_;
  std::unordered_map<std::string_view, const EdgeSpec*> state_writers_;
};

}  // namespace

void check_channels(const CheckContext& context, const Links& links) {
  ChannelChecker(context, links).run();
}

}  // namespace millrace::graph
