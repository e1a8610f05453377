#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/format/words.h"
#include "reference_world.h"

namespace millrace::graph_reference {

using graph::CompositeLoopType;
using graph::Convergence;
using graph::PartialSuccess;

/// One run of a composite loop within an epoch (G27 to G31, G64).
class LoopRun {
 public:
  LoopRun(World& world, const PlannedRegion& region, Duration begin)
      : world_(world),
        region_(region),
        policy_(world.plan.spec->loops[*region.loop].policy),
        begin_(begin),
        time_(begin) {}

  /// Gives the invocations whose publications go to the outside.
  std::vector<Done> run() {
    std::string_view reason;
    std::int64_t iterations = 0;
    while (reason.empty()) {
      if (!iterate()) {
        if (iterations == 0 || world_.failure) return {};
        reason = "quiescent";
        break;
      }
      if (world_.failure) return {};
      ++iterations;
      reason = judge();
      if (reason.empty() && iterations >= policy_.max_iterations) reason = "max_iterations";
    }
    return conclude(reason, iterations);
  }
  [[nodiscard]] Duration time() const { return time_; }

 private:
  /// Runs each member once; gives whether one of them had anything to do.
  bool iterate() {
    bool has_run = false;
    std::vector<Done> last;
    is_stable_ = true;
    for (const std::size_t member : region_.members) {
      std::vector<Done> of_member;
      for (const Firing& firing : world_.collect(member, time_)) {
        has_run = true;
        of_member.push_back(world_.execute(member, firing, time_));
        time_ = of_member.back().end;
        if (of_member.back().result.residual) residual_ = of_member.back().result.residual;
        if (world_.failure) return true;
      }
      for (const Done& one : of_member) publish_inside(one);
      for (Done& one : of_member) last.push_back(std::move(one));
    }
    if (!has_run) return false;
    if (policy_.outputs == graph::LoopOutputs::kFinal) outputs_.clear();
    for (Done& one : last) outputs_.push_back(std::move(one));
    return true;
  }

  void publish_inside(const Done& done) {
    for (const Publication& publication : done.result.published) {
      if (done.is_discarded) continue;
      for (const std::size_t edge : world_.plan.components[done.component].out) {
        const bool is_new = world_.channels[edge].last_value != publication.value;
        if (world_.plan.edges[edge].is_inside_loop && is_new) is_stable_ = false;
      }
      world_.commit_one(done, publication, World::Part::kInsideLoop);
    }
  }

  [[nodiscard]] std::string_view judge() const {
    if (policy_.convergence == Convergence::kSinglePass) return "single_pass";
    if (policy_.type == CompositeLoopType::kTransaction) return "single_pass";
    if (policy_.residual_threshold && residual_ && *residual_ <= *policy_.residual_threshold) {
      return "residual_threshold";
    }
    if (policy_.convergence == Convergence::kStableState && is_stable_) return "stable_state";
    if (policy_.budget > Duration::zero() && time_ - begin_ > policy_.budget) {
      return "budget_overrun";
    }
    return {};
  }

  std::vector<Done> conclude(std::string_view reason, std::int64_t iterations) {
    const std::string& id = world_.plan.spec->loops[*region_.loop].id;
    world_.outcome.loop_stop_reasons[id] = reason;
    world_.count("loop.iterations", id, static_cast<double>(iterations));
    const bool is_over_budget = reason == "budget_overrun";
    const bool is_at_end = reason == "max_iterations";
    if (is_over_budget) world_.count("loop.budget_overrun", id, 1);
    if (is_at_end) world_.count("loop.max_iterations_hit", id, 1);
    if (!is_over_budget && !is_at_end) {
      world_.count("loop.converged", id, 1);
      return std::move(outputs_);
    }
    const bool keeps_nothing = policy_.type == CompositeLoopType::kSolverIteration ||
                               policy_.type == CompositeLoopType::kTransaction;
    const PartialSuccess otherwise =
        keeps_nothing ? PartialSuccess::kDiscardOutputs : PartialSuccess::kCommitOutputs;
    const PartialSuccess partial = policy_.partial_success.value_or(otherwise);
    if (partial == PartialSuccess::kFailRun) {
      world_.failure = {.component = id, .code = "loop_not_converged"};
    }
    if (partial != PartialSuccess::kCommitOutputs) outputs_.clear();
    return std::move(outputs_);
  }

  World& world_;
  const PlannedRegion& region_;
  const graph::LoopPolicySpec& policy_;
  Duration begin_;
  Duration time_;
  bool is_stable_ = true;
  std::optional<double> residual_;
  std::vector<Done> outputs_;
};

std::vector<Done> World::run_loop(std::size_t region, Duration& time) {
  LoopRun run(*this, plan.regions[region], time);
  std::vector<Done> outputs = run.run();
  time = run.time();
  return outputs;
}

}  // namespace millrace::graph_reference
