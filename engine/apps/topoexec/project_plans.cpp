#include "apps/topoexec/project_plans.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "apps/rankd/extensions.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "host/engine.h"
#include "host/project.h"
#include "host/settings.h"

namespace millrace::topoexec {

base::Status ProjectPlans::open() {
  const base::MutexLock lock(mutex_);
  if (engine_ != nullptr) return {};
  host::Settings settings;
  settings.root = root_;
  const auto refuse = [](const host::StartError& error) {
    return base::fail(base::ErrorCode::kUnavailable, "Its plans cannot be loaded: " + error.text);
  };
  auto project = host::Project::open(settings, rankd::rankd_extensions());
  if (!project) return refuse(project.error());
  auto engine =
      host::Engine::start(settings, std::shared_ptr<const host::Project>(*std::move(project)));
  if (!engine) return refuse(engine.error());
  engine_ = *std::move(engine);
  runner_.attach(*engine_);
  return {};
}

base::Status ProjectPlans::find(std::string_view plan) {
  MR_TRY_STATUS(open());
  return runner_.find(plan);
}

base::Result<std::string> ProjectPlans::rank(std::string_view plan,
                                             std::string_view request,
                                             base::Duration limit) {
  return runner_.rank(plan, request, limit);
}

}  // namespace millrace::topoexec
