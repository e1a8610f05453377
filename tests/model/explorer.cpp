#include "explorer.h"

#include <functional>
#include <memory>

#include "choice_tree.h"
#include "execution.h"
#include "fiber_team.h"

namespace millrace::model {

Report explore(const Options& options,
               const std::function<std::unique_ptr<Scenario>()>& make_scenario) {
  ChoiceTree choices(options.revisit_states);
  FiberTeam fibers;
  Report report;
  do {
    if (report.execution_count == options.executions_max) return report;
    ++report.execution_count;
    Execution execution(options, choices, fibers);
    const std::unique_ptr<Scenario> scenario = make_scenario();
    execution.run(*scenario);
    if (execution.failure().empty()) scenario->finish();
    report.state_count = choices.state_count();
    if (!execution.failure().empty()) {
      report.failure = execution.failure();
      return report;
    }
  } while (choices.advance());
  report.complete = true;
  return report;
}

void require(bool condition, const char* what) {
  if (!condition) Execution::current().fail(what);
}

}  // namespace millrace::model
