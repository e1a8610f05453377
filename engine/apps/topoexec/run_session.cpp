#include "apps/topoexec/run_session.h"

#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "apps/topoexec/flags.h"
#include "apps/topoexec/outcome.h"
#include "base/format.h"
#include "graph/run/run_options.h"

namespace millrace::topoexec {

RunSession::RunSession(const Flags& flags) : input_(STDIN_FILENO) {
  if (!flags.virtual_time) signals_.emplace(stop_);
}

void RunSession::prepare(graph::RuntimeRunnerOptions& options) {
  options.stop_token = stop_.token();
  options.standard_input = [this] { return input_.next(); };
  options.close_input = [this] { input_.close(); };
}

void RunSession::set_on_hangup(std::function<void()> on_hangup) {
  if (signals_) signals_->set_on_hangup(std::move(on_hangup));
}

graph::RuntimeRunnerOptions options_of(const Flags& flags) {
  graph::RuntimeRunnerOptions options;
  options.steps = flags.steps;
  if (flags.duration_ms) options.duration = std::chrono::milliseconds(*flags.duration_ms);
  options.until_idle = flags.until_idle;
  options.virtual_time = flags.virtual_time;
  return options;
}

Outcome usage_error(std::string_view message) {
  return {.exit_code = kBadUsage, .out = {}, .err = base::format("topoexec: {}\n", message)};
}

}  // namespace millrace::topoexec
