#pragma once

#include <string>
#include <vector>

#include "graph/compile/links.h"
#include "graph/format/spec.h"

namespace millrace::graph {

/// When a component is invoked, with every default filled in.
struct TriggerPlan {
  TriggerType type = TriggerType::kManual;
  bool has_timer = false;
  Duration timer_period{};
  std::vector<std::string> inputs = {};  ///< empty for manual and timer
  std::vector<SourceType> kinds = {};    ///< of each input: what kind of event its messages are
  TriggerSpec rule = {};                 ///< settings of the type and modifiers

  /// Whether it is invoked in every epoch.
  [[nodiscard]] bool is_manual() const { return type == TriggerType::kManual && !has_timer; }
};

/// Gives the trigger of each component and reports those that contradict themselves, miss an input
/// or can never be ready.
[[nodiscard]] std::vector<TriggerPlan> plan_triggers(const CheckContext& context,
                                                     const Links& links);

}  // namespace millrace::graph
