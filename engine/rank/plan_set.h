#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rank/loaded_plan.h"

namespace millrace::rank {

/// Plans by name.
/// Threading: one thread fills it; after that any thread may read it.
class PlanSet {
 public:
  /// Fails if there is a plan of that name already.
  [[nodiscard]] base::Status add(std::unique_ptr<LoadedPlan> plan);
  /// Sets the plan for requests that name none.
  [[nodiscard]] base::Status set_default(std::string_view name);

  /// The plan of that name, or nullptr.
  [[nodiscard]] LoadedPlan* find(std::string_view name) const;
  /// The plan for requests that name none: the one that was set, else the only plan (variants do
  /// not count), else nullptr.
  [[nodiscard]] LoadedPlan* default_plan() const;
  /// All names, sorted.
  [[nodiscard]] std::vector<std::string_view> names() const;
  [[nodiscard]] std::size_t size() const { return plans_.size(); }

 private:
  std::map<std::string, std::unique_ptr<LoadedPlan>, std::less<>> plans_;
  LoadedPlan* default_ = nullptr;
};

}  // namespace millrace::rank
