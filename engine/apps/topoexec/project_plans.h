#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "bridge/engine_plan_runner.h"
#include "bridge/plan_component.h"
#include "host/engine.h"

namespace millrace::topoexec {

/// The plans of a project, for graphs with the component `plan`. The engine starts with the first
/// question, so that graphs without plans need no project.
/// Threading: any thread.
class ProjectPlans final : public bridge::PlanRunner {
 public:
  /// An empty `root` is found as `rankd` does.
  explicit ProjectPlans(std::string root = {}) : root_(std::move(root)) {}

  [[nodiscard]] base::Status find(std::string_view plan) override MR_EXCLUDES(mutex_);
  [[nodiscard]] base::Result<std::string> rank(std::string_view plan,
                                               std::string_view request,
                                               base::Duration limit) override;

 private:
  [[nodiscard]] base::Status open() MR_EXCLUDES(mutex_);

  const std::string root_;
  base::Mutex mutex_;
  std::unique_ptr<host::Engine> engine_ MR_GUARDED_BY(mutex_);
  bridge::EnginePlanRunner runner_;
};

}  // namespace millrace::topoexec
