#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "bridge/plan_component.h"
#include "host/engine.h"

namespace millrace::bridge {

/// Runs the plans of an engine, which may come after the types of the graph were made. Requests
/// take the loops in turn, and are refused as those of others are.
/// Threading: any thread.
class EnginePlanRunner final : public PlanRunner {
 public:
  /// The engine must live until `detach`.
  void attach(host::Engine& engine) MR_EXCLUDES(mutex_);
  /// Later requests fail. No request may be under way.
  void detach() MR_EXCLUDES(mutex_);

  [[nodiscard]] base::Status find(std::string_view plan) override MR_EXCLUDES(mutex_);
  [[nodiscard]] base::Result<std::string> rank(std::string_view plan,
                                               std::string_view request,
                                               base::Duration limit) override MR_EXCLUDES(mutex_);

 private:
  [[nodiscard]] base::Result<host::Engine*> engine() const MR_EXCLUDES(mutex_);

  mutable base::Mutex mutex_;
  host::Engine* engine_ MR_GUARDED_BY(mutex_) = nullptr;
  std::atomic<std::size_t> next_loop_{0};  // publishes nothing
};

}  // namespace millrace::bridge
