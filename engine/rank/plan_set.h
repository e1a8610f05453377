#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rank/loaded_plan.h"

namespace millrace::rank {

/// Plans by name. A plan may have versions besides the active one: a request gets one of them if it
/// names it, or if the version is a canary and the request's user belongs to its share.
/// Threading: one thread fills it; after that any thread may read it.
class PlanSet {
 public:
  /// Adds a plan, which is active under its name. Fails if there is a plan of that name already.
  [[nodiscard]] base::Status add(std::shared_ptr<LoadedPlan> plan);
  /// Adds a version of a plan that `add` has added.
  void add_version(std::shared_ptr<LoadedPlan> plan);
  /// Gives a version that was added `percent` of the users of its plan.
  void set_canary(const LoadedPlan& version, double percent);
  /// Sets the plan for requests that name none.
  [[nodiscard]] base::Status set_default(std::string_view name);

  /// The active plan of that name, or nullptr.
  [[nodiscard]] LoadedPlan* find(std::string_view name) const;
  /// The same as an owner of it.
  [[nodiscard]] std::shared_ptr<LoadedPlan> share(std::string_view name) const;
  /// The version of a plan that a text names (`is_version`), the active one first; or nullptr.
  [[nodiscard]] LoadedPlan* find_version(std::string_view name, std::string_view version) const;
  /// The version that a user of a plan gets: `active`, or its canary.
  [[nodiscard]] LoadedPlan& choose(LoadedPlan& active, std::int64_t user_id) const;
  /// The plan for requests that name none: the one that was set, else the only plan (variants do
  /// not count), else nullptr.
  [[nodiscard]] LoadedPlan* default_plan() const;
  /// All names, sorted.
  [[nodiscard]] std::vector<std::string_view> names() const;
  [[nodiscard]] std::size_t size() const { return plans_.size(); }

 private:
  // Plans are shared by the sets that hold them: one that did not change is in the next set, too.
  struct Entry {
    std::shared_ptr<LoadedPlan> active;
    std::vector<std::shared_ptr<LoadedPlan>> others = {};
    LoadedPlan* canary = nullptr;
    double percent = 0;
  };
  std::map<std::string, Entry, std::less<>> plans_;
  LoadedPlan* default_ = nullptr;
  bool has_canary_ = false;
};

/// Whether a user belongs to a share of the users of a plan. The same everywhere and for ever, and
/// whoever belongs to a share belongs to every larger one.
[[nodiscard]] bool is_in_share(std::int64_t user_id, std::string_view plan, double percent);

}  // namespace millrace::rank
