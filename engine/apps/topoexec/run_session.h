#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "apps/topoexec/flags.h"
#include "apps/topoexec/input_lines.h"
#include "apps/topoexec/outcome.h"
#include "apps/topoexec/stop_on_signal.h"
#include "graph/run/run_options.h"
#include "loop/stop.h"

namespace millrace::topoexec {

inline constexpr int kRunFailed = 1;
inline constexpr int kBadUsage = 2;

/// What a run needs of the process: lines of standard input and, in wall time, signals that stop
/// it. Make it before other threads.
class RunSession {
 public:
  explicit RunSession(const Flags& flags);
  void prepare(graph::RuntimeRunnerOptions& options);
  void stop() { stop_.request_stop(); }
  /// What SIGHUP does in wall time; nothing: it is ignored.
  void set_on_hangup(std::function<void()> on_hangup);

 private:
  loop::StopSource stop_;
  std::optional<StopOnSignal> signals_;
  InputLines input_;
};

/// The bounds of a run, and whether it is in virtual time.
[[nodiscard]] graph::RuntimeRunnerOptions options_of(const Flags& flags);

/// A command that was used in a wrong way.
[[nodiscard]] Outcome usage_error(std::string_view message);

}  // namespace millrace::topoexec
