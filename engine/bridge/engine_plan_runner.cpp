#include "bridge/engine_plan_runner.h"

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "host/engine.h"
#include "host/waiting_call.h"
#include "rank/request.h"

namespace millrace::bridge {

void EnginePlanRunner::attach(host::Engine& engine) {
  const base::MutexLock lock(mutex_);
  engine_ = &engine;
}

void EnginePlanRunner::detach() {
  const base::MutexLock lock(mutex_);
  engine_ = nullptr;
}

base::Result<host::Engine*> EnginePlanRunner::engine() const {
  const base::MutexLock lock(mutex_);
  if (engine_ == nullptr)
    return base::fail(base::ErrorCode::kUnavailable, "No engine runs plans here");
  return engine_;
}

base::Status EnginePlanRunner::find(std::string_view plan) {
  MR_TRY(host::Engine * engine, this->engine());
  const auto generation = engine->generation();
  if (generation->plans().find(plan) != nullptr) return {};
  return base::fail(
      base::ErrorCode::kNotFound,
      base::format(
          "No plan '{}' is loaded{}", plan, base::did_you_mean(plan, generation->plans().names())));
}

base::Result<std::string> EnginePlanRunner::rank(std::string_view plan,
                                                 std::string_view request,
                                                 base::Duration limit) {
  MR_TRY(host::Engine * engine, this->engine());
  // The plans of the moment, as long as the request lasts.
  const auto generation = engine->generation();
  const std::size_t loop =
      next_loop_.fetch_add(1, std::memory_order_relaxed) % engine->loop_count();
  rank::RequestReader reader;
  host::WaitingCall call;
  call.run(generation->ranker(loop),
           reader,
           request,
           {.plan = plan, .deadline = engine->loop(loop).clock().now() + limit});
  return call.response();
}

}  // namespace millrace::bridge
