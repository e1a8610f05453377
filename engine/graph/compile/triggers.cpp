#include "graph/compile/triggers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "graph/compile/descriptor.h"
#include "graph/compile/links.h"
#include "graph/format/diagnostic.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

using base::JsonValue;

/// A field of a trigger that belongs to one type of it.
struct TriggerField {
  std::string_view name;
  TriggerType type;
  bool is_required;
};

constexpr TriggerField kTriggerFields[] = {
    {"slop", TriggerType::kTimeSync, true},
    {"batch_size", TriggerType::kBatch, true},
    {"batch_window", TriggerType::kBatch, false},
    {"lateness", TriggerType::kWatermark, true},
    {"window", TriggerType::kDebounce, true},
    {"condition", TriggerType::kCondition, true},
    {"min_interval", TriggerType::kRateLimit, true},
};

/// Fields of a type that are modifiers of all others too.
bool is_modifier(std::string_view name) { return name == "min_interval"; }

std::optional<JsonValue> find_field(const std::optional<JsonValue>& object, std::string_view name) {
  if (!object) return std::nullopt;
  const auto found = object->find_member(name);
  return found ? found : object->find_member(std::string(name) + "_ms");
}

class TriggerPlanner {
 public:
  TriggerPlanner(const CheckContext& context, const Links& links, std::uint32_t index)
      : spec_(context.spec.components[index]),
        edges_(context.spec.edges),
        links_(links),
        component_(links.components[index]),
        index_(index),
        reporter_(context.reporter) {}

  TriggerPlan run() {
    TriggerPlan plan;
    if (spec_.trigger) {
      plan.type = spec_.trigger->type;
      plan.inputs = spec_.trigger->inputs;
      plan.rule = *spec_.trigger;
      check_fields(*spec_.trigger);
      check_inputs_exist(spec_.trigger->source, plan.inputs);
    }
    const bool has_messages = add_sources(plan);
    if (!spec_.trigger) plan.type = has_messages ? TriggerType::kAnyInput : TriggerType::kManual;
    if (plan.has_timer) {
      check_timer(plan, has_messages);
      plan.type = TriggerType::kManual;
      plan.inputs.clear();
    } else if (plan.type == TriggerType::kManual) {
      check_manual(plan);
      plan.inputs.clear();
    } else {
      fill_inputs(plan);
      fill_kinds(plan);
      check_ready(plan);
    }
    return plan;
  }

 private:
  /// Adds what the event sources say; gives whether one of them is about messages.
  bool add_sources(TriggerPlan& plan) {
    bool has_messages = false;
    for (const EventSourceSpec& source : spec_.event_sources) {
      if (source.type == SourceType::kTimer) {
        plan.has_timer = true;
        plan.timer_period = source.period;
        timer_ = &source;
        if (source.period == Duration::zero()) {
          reporter_.at_member(DiagnosticCode::kPeriodNeeded,
                              source.source,
                              "period",
                              base::format("The timer of '{}' has no period", spec_.id));
        }
        continue;
      }
      if (find_field(source.source, "period")) {
        reporter_.at_key(DiagnosticCode::kFieldNotApplicable,
                         *find_field(source.source, "period"),
                         "period applies to timer sources only");
      }
      if (source.type == SourceType::kManual) continue;
      has_messages = true;
      check_inputs_exist(source.source, source.inputs);
      if (spec_.trigger && !spec_.trigger->inputs.empty()) continue;
      for (const std::string& input : source.inputs) {
        if (std::ranges::find(plan.inputs, input) == plan.inputs.end())
          plan.inputs.push_back(input);
      }
    }
    return has_messages;
  }

  void check_timer(const TriggerPlan& plan, bool has_messages) {
    const bool has_rule = spec_.trigger && spec_.trigger->type != TriggerType::kManual;
    if (!has_messages && !has_rule && plan.inputs.empty() && timer_->inputs.empty()) return;
    reporter_.at_member(
        DiagnosticCode::kTimerWithInputs,
        timer_->source,
        "type",
        base::format("Component '{}' has a timer and a trigger by inputs", spec_.id));
  }

  void check_manual(const TriggerPlan& plan) {
    if (plan.inputs.empty() || !spec_.trigger) return;
    const auto inputs = find_field(spec_.trigger->source, "inputs");
    if (!inputs) return;
    reporter_.at_key(
        DiagnosticCode::kFieldNotApplicable, *inputs, "A manual trigger has no inputs");
  }

  void check_fields(const TriggerSpec& trigger) {
    for (const TriggerField& field : kTriggerFields) {
      const auto given = find_field(trigger.source, field.name);
      const bool is_own = trigger.type == field.type;
      if (given && !is_own && !is_modifier(field.name)) {
        reporter_.at_key(DiagnosticCode::kFieldNotApplicable,
                         *given,
                         base::format("{} applies to {} only", field.name, to_string(field.type)));
      }
      if (!given && is_own && field.is_required) {
        reporter_.at_value(
            DiagnosticCode::kMissingField,
            *trigger.source,
            base::format("A trigger of type {} needs '{}'", to_string(field.type), field.name),
            base::format("add '{}'", field.name));
      }
    }
  }

  /// Reports inputs that the type does not have, or that no edge leads to.
  void check_inputs_exist(const std::optional<JsonValue>& owner,
                          const std::vector<std::string>& inputs) {
    const auto list = find_field(owner, "inputs");
    if (!list) return;
    std::size_t position = 0;
    for (const JsonValue item : list->children()) {
      if (position >= inputs.size()) return;
      const std::string& input = inputs[position++];
      const ComponentDescriptor* type = component_.type;
      const bool is_known =
          type == nullptr || type->takes_any_input ||
          std::ranges::find(type->inputs, input, &InputPort::name) != type->inputs.end();
      if (!is_known) {
        reporter_.at_value(DiagnosticCode::kUnknownPort,
                           item,
                           base::format("'{}' has no input '{}'", type->type, input));
      } else if (links_.has_all_edges && !links_.has_edge_to(index_, input)) {
        reporter_.at_value(DiagnosticCode::kTriggerMissingInput,
                           item,
                           base::format("No edge leads to '{}.{}'", spec_.id, input));
      }
    }
  }

  /// Without inputs of its own, a trigger looks at all that are connected.
  void fill_inputs(TriggerPlan& plan) {
    if (!plan.inputs.empty()) return;
    for (const std::uint32_t edge : component_.in) {
      const std::string port(links_.edges[edge].to_port);
      if (std::ranges::find(plan.inputs, port) == plan.inputs.end()) plan.inputs.push_back(port);
    }
    if (!plan.inputs.empty() || !links_.has_all_edges) return;
    if (component_.type != nullptr && component_.type->is_host_driven) return;
    reporter_.at_value(DiagnosticCode::kTriggerMissingInput,
                       trigger_place(),
                       base::format("The trigger of '{}' has no input with an edge", spec_.id));
  }

  /// The kind of an input is that of the source that names it; else that of the trigger's type, if
  /// it is one; else a message.
  void fill_kinds(TriggerPlan& plan) const {
    SourceType usual = SourceType::kMessage;
    if (plan.type == TriggerType::kRequest) usual = SourceType::kRequest;
    if (plan.type == TriggerType::kTaskReady) usual = SourceType::kTaskReady;
    if (plan.type == TriggerType::kFutureReady) usual = SourceType::kFutureReady;
    for (const std::string& input : plan.inputs) {
      SourceType kind = usual;
      for (const EventSourceSpec& source : spec_.event_sources) {
        if (source.type == SourceType::kManual || source.type == SourceType::kTimer) continue;
        const bool names_it = std::ranges::find(source.inputs, input) != source.inputs.end();
        if (names_it || source.inputs.empty()) kind = source.type;
        if (names_it) break;
      }
      plan.kinds.push_back(kind);
    }
  }

  [[nodiscard]] JsonValue trigger_place() const {
    if (spec_.trigger) return *spec_.trigger->source;
    if (!spec_.event_sources.empty()) return *spec_.event_sources.front().source;
    return *spec_.source;
  }

  void check_ready(const TriggerPlan& plan) {
    if (!links_.has_all_edges || !spec_.is_readable) return;
    if (plan.type == TriggerType::kBatch && plan.rule.batch_window == Duration::zero()) {
      check_batch(plan);
    }
    if (plan.type == TriggerType::kAllInputs || plan.type == TriggerType::kTimeSync) {
      check_feedback(plan);
    }
  }

  void check_batch(const TriggerPlan& plan) {
    std::int64_t room = 0;
    for (const std::uint32_t edge : component_.in) {
      const LinkedEdge& linked = links_.edges[edge];
      if (std::ranges::find(plan.inputs, linked.to_port) == plan.inputs.end()) continue;
      room += edges_[linked.spec_index].policy.capacity;
    }
    if (plan.rule.batch_size <= room) return;
    reporter_.at_member(DiagnosticCode::kTriggerNeverReady,
                        plan.rule.source,
                        "batch_size",
                        base::format("The edges to '{}' hold {} messages, fewer than a batch of {}",
                                     spec_.id,
                                     room,
                                     plan.rule.batch_size),
                        "raise the capacity of the edges, or give a batch_window");
  }

  /// An input that only the component itself feeds waits for its own first invocation.
  void check_feedback(const TriggerPlan& plan) {
    for (const std::string& input : plan.inputs) {
      bool has_edge = false;
      bool is_fed = false;
      for (const std::uint32_t edge : component_.in) {
        if (links_.edges[edge].to_port != input) continue;
        has_edge = true;
        is_fed |= links_.edges[edge].from != index_;
      }
      if (!has_edge || is_fed) continue;
      reporter_.at_value(
          DiagnosticCode::kTriggerNeverReady,
          trigger_place(),
          base::format("'{0}' waits for its input '{1}', which only '{0}' feeds", spec_.id, input),
          "let any_input trigger it, or feed the input from elsewhere too");
    }
  }

  const ComponentSpec& spec_;
  const std::vector<EdgeSpec>& edges_;
  const Links& links_;
  const LinkedComponent& component_;
  std::uint32_t index_;
  Reporter& reporter_;
  const EventSourceSpec* timer_ = nullptr;
};

}  // namespace

std::vector<TriggerPlan> plan_triggers(const CheckContext& context, const Links& links) {
  std::vector<TriggerPlan> plans;
  plans.reserve(links.components.size());
  for (std::uint32_t i = 0; i < links.components.size(); ++i) {
    plans.push_back(TriggerPlanner(context, links, i).run());
  }
  return plans;
}

}  // namespace millrace::graph
