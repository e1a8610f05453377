#include "server/start_check.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plan/compiled_plan.h"
#include "plan/param_value.h"

namespace millrace::server {

std::set<std::uint32_t> endpoints_used(const rank::PlanSet& plans) {
  std::set<std::uint32_t> used;
  for (const std::string_view name : plans.names()) {
    for (const plan::CompiledNode& node : plans.find(name)->plan().nodes) {
      for (const plan::ParamValue& value : node.params) {
        if (const auto* const endpoint = std::get_if<plan::EndpointId>(&value))
          used.insert(endpoint->index);
      }
    }
  }
  return used;
}

StartCheck::StartCheck(Readiness& readiness, std::vector<StartTrial> trials, Pauses pauses)
    : readiness_(readiness), open_(std::move(trials)), pauses_(pauses) {
  std::vector<std::string> endpoints;
  std::vector<std::string> plans;
  for (const StartTrial& trial : open_) (trial.is_plan ? plans : endpoints).push_back(trial.name);
  readiness_.expect(std::move(endpoints), std::move(plans));
  thread_ = std::thread([this] { run(); });
}

StartCheck::~StartCheck() {
  {
    const base::MutexLock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

bool StartCheck::wait(base::Duration pause) {
  const base::MutexLock lock(mutex_);
  if (is_ending_) return false;
  changed_.wait_for(mutex_, pause);
  return !is_ending_;
}

void StartCheck::run() {
  while (!open_.empty()) {
    std::vector<StartTrial> failed;
    bool has_endpoints = true;
    for (StartTrial& trial : open_) {
      if (trial.is_plan && !has_endpoints) {
        failed.push_back(std::move(trial));
        continue;
      }
      std::optional<std::string> problem = trial.attempt();
      const bool is_good = !problem;
      if (trial.is_plan) {
        readiness_.report_plan(trial.name, std::move(problem));
      } else {
        readiness_.report_endpoint(trial.name, std::move(problem));
        has_endpoints &= is_good;
      }
      if (!is_good) {
        failed.push_back(std::move(trial));
      } else if (!trial.is_plan) {
        endpoints_.push_back(std::move(trial));
      }
    }
    open_ = std::move(failed);
    if (!open_.empty() && !wait(pauses_.retry)) return;
  }
  watch();
}

void StartCheck::watch() {
  while (!endpoints_.empty() && wait(pauses_.watch)) {
    for (StartTrial& trial : endpoints_) readiness_.report_endpoint(trial.name, trial.attempt());
  }
}

}  // namespace millrace::server
