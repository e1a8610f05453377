#include "rank/plan_set.h"

#include <utility>

#include "base/did_you_mean.h"
#include "base/format.h"

namespace millrace::rank {

base::Status PlanSet::add(std::unique_ptr<LoadedPlan> plan) {
  std::string name = plan->plan().name;
  if (plans_.contains(name)) {
    return base::fail(base::ErrorCode::kInvalidPlan,
                      base::format("Two plans have the name '{}'", name));
  }
  plans_.emplace(std::move(name), std::move(plan));
  return {};
}

base::Status PlanSet::set_default(std::string_view name) {
  default_ = find(name);
  if (default_ != nullptr) return {};
  return base::fail(
      base::ErrorCode::kNotFound,
      base::format("No plan '{}' is loaded{}", name, base::did_you_mean(name, names())));
}

LoadedPlan* PlanSet::find(std::string_view name) const {
  const auto found = plans_.find(name);
  return found == plans_.end() ? nullptr : found->second.get();
}

LoadedPlan* PlanSet::default_plan() const {
  if (default_ != nullptr) return default_;
  LoadedPlan* only = nullptr;
  for (const auto& [name, plan] : plans_) {
    if (!plan->plan().variant_of.empty()) continue;
    if (only != nullptr) return nullptr;
    only = plan.get();
  }
  return only;
}

std::vector<std::string_view> PlanSet::names() const {
  std::vector<std::string_view> all;
  for (const auto& [name, plan] : plans_) all.emplace_back(name);
  return all;
}

}  // namespace millrace::rank
