#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "random_fields.h"
#include "random_graph.h"

namespace millrace::graph_reference {
namespace {

using std::chrono::milliseconds;

class Generator : private RandomFields {
 public:
  explicit Generator(std::uint64_t seed) : RandomFields(seed) {}

  GraphModel run() {
    add_lanes();
    add_sources();
    if (chance(0.35)) add_loop();
    if (chance(0.2)) add_timed_pair();
    const std::uint64_t steps = 1 + below(6);
    for (std::uint64_t i = 0; i < steps; ++i) add_step();
    const std::uint64_t sinks = 1 + below(2);
    for (std::uint64_t i = 0; i < sinks; ++i) add_sink();
    if (chance(0.15)) add_table();
    if (chance(0.25)) add_feedback();
    choose_homes();
    choose_options();
    return std::move(model_);
  }

 private:
  // Lanes. The first is always in domain `main`.
  void add_lanes() {
    const std::string pace = pick({"ready", "ready", "simulated", "grid"});
    if (pace == "ready") {
      add_lane("loop", {"type: event_loop"});
    } else {
      LaneModel lane{"rate", {"type: fixed_rate"}};
      if (pace == "grid" || chance(0.7)) lane.fields.push_back("period: " + pick_period());
      if (pace == "grid") add_grid_fields(lane);
      if (chance(0.3)) lane.fields.push_back("tick_budget: " + milliseconds_text(1, 12));
      add_lane(lane.id, lane.fields);
      if (chance(0.4)) add_lane("loop", {"type: event_loop"});
    }
    main_lane_count_ = model_.lanes.size();
    const std::uint64_t pools = below(3);
    for (std::uint64_t i = 0; i < pools; ++i) add_lane(base::format("pool{}", i), pick_pool());
    main_lane_count_ = model_.lanes.size();
    const std::uint64_t others = chance(0.5) ? 0 : 1 + below(2);
    for (std::uint64_t i = 0; i < others; ++i) add_own_domain(i);
  }

  void add_lane(std::string id, Fields fields) {
    model_.lanes.push_back({std::move(id), std::move(fields)});
  }

  void add_own_domain(std::uint64_t number) {
    LaneModel lane{base::format("own{}", number)};
    const std::string type =
        pick({"isolated_thread", "isolated_thread", "fixed_rate", "fixed_rate", "manual_step"});
    lane.fields.push_back("type: " + type);
    if (type == "fixed_rate") {
      lane.fields.push_back("period: " + pick_period());
      lane.fields.emplace_back("independent: true");
      add_grid_fields(lane);
    }
    has_other_domains_ = true;
    model_.lanes.push_back(lane);
  }

  [[nodiscard]] bool is_main(const std::string& lane) const {
    const auto found = std::ranges::find(model_.lanes, lane, &LaneModel::id);
    return static_cast<std::size_t>(found - model_.lanes.begin()) < main_lane_count_;
  }
  [[nodiscard]] bool is_same_domain(const std::string& left, const std::string& right) const {
    return left == right || (is_main(left) && is_main(right));
  }
  std::string pick_lane() {
    // Mostly in `main`: there the order of regions, stages and pools matter.
    if (chance(0.75)) return model_.lanes[below(main_lane_count_)].id;
    return model_.lanes[below(model_.lanes.size())].id;
  }

  ComponentModel& add_component(std::string type, std::string lane) {
    ComponentModel component{.id = base::format("c{}", model_.components.size()),
                             .type = std::move(type),
                             .lane = std::move(lane)};
    if (chance(0.5)) {
      component.execution.push_back("priority: " + pick({"high", "normal", "low", "background"}));
    }
    if (chance(0.4)) component.execution.emplace_back("reentrant: true");
    if (chance(0.15)) component.execution.push_back("budget: " + milliseconds_text(1, 6));
    model_.components.push_back(component);
    return model_.components.back();
  }

  void add_sources() {
    const std::uint64_t count = 1 + below(3);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string lane = i == 0 ? model_.lanes.front().id : pick_lane();
      if (i > 0 && chance(0.15)) {
        add_input(lane);
      } else {
        add_generator(lane);
      }
      source_count_ = model_.components.size();
    }
  }

  /// Two sources with event timestamps that one component joins.
  void add_timed_pair() {
    std::vector<std::string> pair;
    for (int i = 0; i < 2; ++i) {
      const std::string lane = model_.lanes[below(main_lane_count_)].id;
      ComponentModel& component = add_component("core.values", lane);
      add_values(component, 3 + below(5), true);
      component.config.push_back(base::format("per_invocation: {}", 1 + below(3)));
      pair.push_back(component.id);
    }
    add_component("core.collect", model_.lanes[below(main_lane_count_)].id);
    connect(model_.components.size() - 1, pair, false);
  }

  void add_input(const std::string& lane) {
    ComponentModel& component = add_component("core.input", lane);
    component.execution.clear();
    Duration at{};
    const std::uint64_t count = 1 + below(6);
    for (std::uint64_t i = 0; i < count; ++i) {
      at += milliseconds(below(12));
      auto& all = model_.options.injections;
      all.insert(std::ranges::upper_bound(all, at, {}, &Injection::at),
                 {at, component.id, std::to_string(below(50))});
    }
  }

  void add_generator(const std::string& lane) {
    const bool is_counter = chance(0.6);
    ComponentModel& component = add_component(is_counter ? "core.counter" : "core.values", lane);
    const std::uint64_t count = 2 + below(8);
    if (is_counter) {
      component.config.push_back(base::format("count: {}", count));
      if (chance(0.3)) component.config.push_back(base::format("start: {}", below(20)));
      if (chance(0.3)) component.config.emplace_back("step: 3");
    } else {
      add_values(component, count, chance(0.6));
    }
    if (chance(0.5)) component.config.push_back(base::format("per_invocation: {}", 1 + below(4)));
    if (chance(0.4)) {
      component.sources = {"type: timer", "period: " + milliseconds_text(2, 15)};
    }
  }

  void add_values(ComponentModel& component, std::uint64_t count, bool has_times) {
    std::string values;
    std::string times;
    std::uint64_t time = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string comma = i == 0 ? "" : ", ";
      values += comma + std::to_string(below(9));
      if (chance(0.2)) values += ".5";
      time = chance(0.2) && time > 8 ? time - 8 : time + below(12);
      times += comma + std::to_string(time);
    }
    component.config.push_back("values: [" + values + "]");
    if (!has_times) return;
    component.config.push_back("timestamps_ms: [" + times + "]");
    timed_.push_back(component.id);
  }

  // Steps.
  void add_step() {
    const std::string lane = pick_lane();
    const std::string type = pick({"core.linear",
                                   "core.linear",
                                   "core.spend",
                                   "core.spend",
                                   "core.collect",
                                   "core.fail",
                                   "core.task"});
    const std::vector<std::string> producers = pick_producers(type == "core.linear");
    if (producers.empty()) return;
    // Which of two tasks of one instant comes first is not fixed between a pool and its domain.
    ComponentModel& component =
        add_component(type, type == "core.task" ? model_.lanes.front().id : lane);
    if (type == "core.linear") {
      if (chance(0.5)) component.config.push_back("factor: " + pick({"1", "-1", "0", "0.5"}));
      if (chance(0.5)) component.config.push_back("offset: " + pick({"1", "2", "-3", "0.25"}));
    }
    if (type == "core.spend") add_costs(component);
    if (type == "core.task") component.config.push_back("delay: " + milliseconds_text(0, 9));
    bool is_single = false;
    if (type == "core.fail") is_single = add_errors(component);
    connect(model_.components.size() - 1, producers, is_single);
  }

  void add_costs(ComponentModel& component) {
    if (chance(0.5)) {
      component.config.push_back("cost: " + milliseconds_text(0, 6));
      return;
    }
    std::string costs;
    const std::uint64_t count = 1 + below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      costs += (i == 0 ? "" : ", ") + milliseconds_text(0, 14);
    }
    component.config.push_back("costs: [" + costs + "]");
  }

  /// Gives whether the component may have one invocation per epoch only: what becomes of the other
  /// invocations of an epoch in which one isolates or restarts it is not fixed.
  bool add_errors(ComponentModel& component) {
    component.config.push_back(base::format("fail_at: [{}, {}]", 1 + below(3), 4 + below(5)));
    const std::string policy = chance(0.1) ? "fail_fast" : pick({"continue", "isolate", "restart"});
    if (policy == "restart") {
      component.execution.push_back(
          base::format("on_error: {{restart: {{max: {}, window: {}, backoff: {}}}}}",
                       1 + below(4),
                       milliseconds_text(5, 40),
                       milliseconds_text(0, 9)));
      return true;
    }
    component.execution.push_back("on_error: " + policy);
    return policy == "isolate";
  }

  [[nodiscard]] bool gives_numbers(const ComponentModel& component) const {
    return component.type == "core.counter" || component.type == "core.values" ||
           component.type == "core.linear" || component.type == "core.input" ||
           std::ranges::find(numeric_, component.id) != numeric_.end();
  }

  std::vector<std::string> pick_producers(bool numbers_only) {
    std::vector<std::string> all;
    for (const ComponentModel& component : model_.components) {
      const bool has_output = component.type != "core.stdout" && component.type != "core.table";
      if (has_output && (!numbers_only || gives_numbers(component))) all.push_back(component.id);
    }
    std::vector<std::string> picked;
    const std::uint64_t count = 1 + below(3);
    for (std::uint64_t i = 0; i < count && !all.empty(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(below(all.size()));
      picked.push_back(all[static_cast<std::size_t>(at)]);
      all.erase(all.begin() + at);
    }
    return picked;
  }

  void add_sink() {
    const std::vector<std::string> producers = pick_producers(false);
    ComponentModel& component = add_component("core.stdout", pick_lane());
    component.config = {"time: true", "ids: true"};
    connect(model_.components.size() - 1, producers, false);
  }

  void add_table() {
    const std::string lane = model_.lanes.front().id;
    ComponentModel& values = add_component("core.values", lane);
    values.config = {R"(values: [{key: a, value: 1}, {b: 2, c: [3]}, {key: a, value: 4}])"};
    const std::string from = values.id;
    ComponentModel& table = add_component("core.table", lane);
    table.config = {"table: facts"};
    table.trigger = {"type: any_input"};
    add_edge(from, table.id, "in", "immediate").policy = {"mode: queue", "capacity: 4"};
  }

  EdgeModel& add_edge(const std::string& from,
                      const std::string& to,
                      const std::string& port,
                      const std::string& kind) {
    model_.edges.push_back({base::format("e{}", model_.edges.size()), kind, from, to, port, {}});
    return model_.edges.back();
  }

  /// Gives a component a trigger and edges from its producers.
  void connect(std::size_t index, const std::vector<std::string>& producers, bool is_single) {
    ComponentModel& component = model_.components[index];
    const bool are_all_numbers = std::ranges::all_of(producers, [&](const std::string& id) {
      return gives_numbers(*std::ranges::find(model_.components, id, &ComponentModel::id));
    });
    const bool passes_on = component.type == "core.spend" || component.type == "core.fail" ||
                           component.type == "core.task";
    if (are_all_numbers && passes_on) numeric_.push_back(component.id);
    const bool are_timed = std::ranges::all_of(producers, [&](const std::string& id) {
      return std::ranges::find(timed_, id) != timed_.end();
    });
    component.trigger =
        is_single ? Fields{"type: any_input", "coalesce: true"} : pick_trigger(are_timed);
    if (!is_single) add_modifiers(component.trigger);
    const std::string& type = component.trigger.front();
    const bool has_plain_rule =
        std::ranges::none_of(component.trigger, [](const std::string& field) {
          return field.starts_with("max_latency") || field.starts_with("coalesce");
        });
    const bool allows_latched =
        has_plain_rule && (type == "type: any_input" || type == "type: all_inputs");
    bool has_unlatched = false;
    for (std::size_t i = 0; i < producers.size(); ++i) {
      const auto from = std::ranges::find(model_.components, producers[i], &ComponentModel::id);
      EdgeModel& edge =
          add_edge(producers[i], component.id, port_of(i), pick_kind(*from, component));
      edge.policy = pick_policy(edge.kind, allows_latched && has_unlatched, type);
      const bool leaves_loop = std::ranges::find(in_loop_, producers[i]) != in_loop_.end();
      if (leaves_loop) keep_accepting(edge.policy);
      has_unlatched |= edge.policy.empty() || edge.policy.front() != "mode: latched";
    }
  }

  /// What a publication does that a loop made and an edge to the outside refuses is not compared.
  static void keep_accepting(Fields& policy) {
    std::erase_if(policy, [](const std::string& field) {
      return field == "overflow: reject" || field == "overflow: fail_fast";
    });
  }

  /// Mostly a port each; now and then two edges share one.
  std::string port_of(std::size_t number) {
    return number > 0 && chance(0.15) ? "in0" : base::format("in{}", number);
  }

  std::string pick_kind(const ComponentModel& from, const ComponentModel& to) {
    if (from.type == "core.task") return "async";
    if (is_same_domain(from.lane, to.lane) && chance(0.75)) return "immediate";
    return pick({"delay", "async", "async"});
  }

  // Loops.
  void add_loop() {
    const std::string lane = model_.lanes.front().id;
    const std::string source = model_.components.front().id;
    const std::string type =
        pick({"fixed_point", "fixed_point", "solver_iteration", "coalesced_event", "transaction"});
    const bool has_relax = type == "solver_iteration";
    const std::string first = add_component(has_relax ? "core.relax" : "core.linear", lane).id;
    const std::string second = add_component(chance(0.3) ? "core.spend" : "core.linear", lane).id;
    ComponentModel& one = model_.components[model_.components.size() - 2];
    ComponentModel& two = model_.components.back();
    numeric_.push_back(first);
    numeric_.push_back(second);
    if (has_relax) {
      one.config = {"target: 8", "start: " + pick({"0", "16", "8"})};
      if (chance(0.5)) one.trigger = {"type: any_input", "inputs: [in]"};
    } else {
      one.trigger = {"type: any_input"};
      one.config = {"factor: " + pick({"0", "1", "0.5"}), "offset: " + pick({"0", "1", "4"})};
    }
    two.trigger = {"type: any_input"};
    if (two.type == "core.spend") two.config = {"cost: " + milliseconds_text(1, 5)};
    if (!has_relax && chance(0.8)) {
      add_edge(source, first, "ext", "immediate").policy = {"mode: queue", "capacity: 4"};
    } else {
      add_edge(source, second, "ext", "immediate").policy = {"mode: queue", "capacity: 4"};
    }
    if (chance(0.5)) std::swap(model_.components[model_.components.size() - 2], two);
    const std::uint64_t capacity = 1 + below(3);
    add_edge(first, second, "fwd", "immediate").policy = {"mode: queue",
                                                          base::format("capacity: {}", capacity)};
    EdgeModel& back = add_edge(second, first, "in", "immediate");
    if (chance(0.3)) back.policy = {"mode: barrier", "capacity: 2"};
    LoopModel loop{"solve", {first, second}, {"type: " + type}};
    if (chance(0.3)) std::ranges::reverse(loop.members);
    loop.policy.push_back(base::format("max_iterations: {}", 1 + below(7)));
    if (has_relax && chance(0.7))
      loop.policy.push_back("residual_threshold: " + pick({"0.5", "2", "0"}));
    if (chance(0.5))
      loop.policy.push_back("convergence: " +
                            pick({"single_pass", "stable_state", "stable_state"}));
    if (chance(0.3)) loop.policy.push_back("budget: " + milliseconds_text(2, 9));
    if (chance(0.3))
      loop.policy.push_back("partial_success: " +
                            pick({"commit_outputs", "discard_outputs", "fail_run"}));
    if (chance(0.3)) loop.policy.emplace_back("outputs: all");
    model_.loops.push_back(loop);
    in_loop_ = {first, second};
  }

  /// Lets a step of `main` hear of what it published an epoch before.
  void add_feedback() {
    for (ComponentModel& component : model_.components) {
      const bool may_loop = component.type == "core.linear" && is_main(component.lane) &&
                            std::ranges::find(in_loop_, component.id) == in_loop_.end();
      if (!may_loop || component.trigger.empty()) continue;
      component.trigger = {"type: any_input"};
      add_edge(component.id, component.id, "again", pick({"delay", "async", "state"}));
      return;
    }
  }

  void choose_homes() {
    const Home home = chance(0.2) ? Home::kSubgraph : chance(0.25) ? Home::kTemplate : Home::kRoot;
    if (home == Home::kRoot || !model_.options.injections.empty()) return;
    for (ComponentModel& component : model_.components) {
      const bool is_in_loop = std::ranges::find(in_loop_, component.id) != in_loop_.end();
      if (!is_in_loop && chance(0.4)) component.home = home;
    }
  }

  void choose_options() {
    model_.options.steps = static_cast<std::int64_t>(2 + below(25));
    if (has_other_domains_ || chance(0.3)) {
      model_.options.duration = milliseconds(10 + below(150));
    }
    const bool has_manual = std::ranges::any_of(model_.lanes, [](const LaneModel& lane) {
      return lane.fields.front() == "type: manual_step";
    });
    model_.options.until_idle = !has_manual && chance(0.4);
  }

  GraphModel model_;
  std::size_t main_lane_count_ = 0;
  std::size_t source_count_ = 0;
  bool has_other_domains_ = false;
  std::vector<std::string> timed_;    // sources with event timestamps
  std::vector<std::string> numeric_;  // steps that pass numbers on
  std::vector<std::string> in_loop_;
};

}  // namespace

GraphModel make_random_graph(std::uint64_t seed) { return Generator(seed).run(); }

}  // namespace millrace::graph_reference
