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
/// Threading: filled by one thread; then any.
class PlanSet {
 public:
  /// Refuses a second plan of one name.
  [[nodiscard]] base::Status add(std::unique_ptr<LoadedPlan> plan);
  /// Names the plan of requests that name none.
  [[nodiscard]] base::Status set_default(std::string_view name);

  /// The plan of that name, or nullptr.
  [[nodiscard]] LoadedPlan* find(std::string_view name) const;
  /// The default, or the only plan there is, variants not counted; nullptr if there is neither.
  [[nodiscard]] LoadedPlan* default_plan() const;
  /// All names, sorted.
  [[nodiscard]] std::vector<std::string_view> names() const;
  [[nodiscard]] std::size_t size() const { return plans_.size(); }

 private:
  std::map<std::string, std::unique_ptr<LoadedPlan>, std::less<>> plans_;
  LoadedPlan* default_ = nullptr;
};

}  // namespace millrace::rank
