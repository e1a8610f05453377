#include "rank/plan_set.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/did_you_mean.h"
#include "base/format.h"
#include "rank/plan_version.h"

namespace millrace::rank {

namespace {

// The finaliser of SplitMix64: every bit of the input changes half of the output's.
std::uint64_t mixed(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return hash;
}

}  // namespace

bool is_in_share(std::int64_t user_id, std::string_view plan, double percent) {
  const std::uint64_t hash = mixed(static_cast<std::uint64_t>(user_id) ^ hash_of(plan));
  return static_cast<double>(hash >> 11U) * 0x1p-53 * 100 < percent;
}

base::Status PlanSet::add(std::shared_ptr<LoadedPlan> plan) {
  std::string name = plan->plan().name;
  if (plans_.contains(name)) {
    return base::fail(base::ErrorCode::kInvalidPlan,
                      base::format("Two plans have the name '{}'", name));
  }
  plans_.emplace(std::move(name), Entry{.active = std::move(plan)});
  return {};
}

void PlanSet::add_version(std::shared_ptr<LoadedPlan> plan) {
  const auto found = plans_.find(plan->plan().name);
  MR_CHECK(found != plans_.end(), plan->plan().name);
  found->second.others.push_back(std::move(plan));
}

void PlanSet::set_canary(const LoadedPlan& version, double percent) {
  const auto found = plans_.find(version.plan().name);
  MR_CHECK(found != plans_.end(), version.plan().name);
  for (const auto& other : found->second.others) {
    if (other.get() != &version) continue;
    found->second.canary = other.get();
    found->second.percent = percent;
    has_canary_ = true;
  }
}

namespace {

// The plan that was meant, or those that there are, for the end of a message.
std::string other_plans(std::string_view name, std::span<const std::string_view> names) {
  constexpr std::size_t kNamesMax = 12;
  if (names.empty()) return "; there are no plans";
  if (std::string nearest = base::did_you_mean(name, names); !nearest.empty()) return nearest;
  std::string text = "; there are: ";
  for (std::size_t index = 0; index < std::min(names.size(), kNamesMax); ++index)
    text += base::format("{}{}", index == 0 ? "" : ", ", names[index]);
  if (names.size() > kNamesMax) text += base::format(" and {} more", names.size() - kNamesMax);
  return text;
}

}  // namespace

base::Status PlanSet::set_default(std::string_view name) {
  default_ = find(name);
  if (default_ != nullptr) return {};
  return base::fail(base::ErrorCode::kNotFound,
                    base::format("No plan '{}' is loaded{}", name, other_plans(name, names())));
}

LoadedPlan* PlanSet::find(std::string_view name) const {
  const auto found = plans_.find(name);
  return found == plans_.end() ? nullptr : found->second.active.get();
}

std::shared_ptr<LoadedPlan> PlanSet::share(std::string_view name) const {
  const auto found = plans_.find(name);
  return found == plans_.end() ? nullptr : found->second.active;
}

LoadedPlan* PlanSet::find_version(std::string_view name, std::string_view version) const {
  const auto found = plans_.find(name);
  if (found == plans_.end()) return nullptr;
  if (is_version(found->second.active->plan(), version)) return found->second.active.get();
  for (const auto& other : found->second.others) {
    if (is_version(other->plan(), version)) return other.get();
  }
  return nullptr;
}

LoadedPlan& PlanSet::choose(LoadedPlan& active, std::int64_t user_id) const {
  if (!has_canary_) return active;
  const auto found = plans_.find(active.plan().name);
  if (found == plans_.end() || found->second.canary == nullptr) return active;
  const bool is_chosen = is_in_share(user_id, found->first, found->second.percent);
  return is_chosen ? *found->second.canary : active;
}

LoadedPlan* PlanSet::default_plan() const {
  if (default_ != nullptr) return default_;
  LoadedPlan* only = nullptr;
  for (const auto& [name, entry] : plans_) {
    if (!entry.active->plan().variant_of.empty()) continue;
    if (only != nullptr) return nullptr;
    only = entry.active.get();
  }
  return only;
}

std::vector<std::string_view> PlanSet::names() const {
  std::vector<std::string_view> all;
  for (const auto& [name, entry] : plans_) all.emplace_back(name);
  return all;
}

}  // namespace millrace::rank
