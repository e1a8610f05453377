#include "rank/fragment_choice.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/format.h"

namespace millrace::rank {
namespace {

RankError refusal(const LoadedPlan& plan, std::string_view message) {
  return {.code = RankErrorCode::kUnknownVersion,
          .message = base::format("The plan '{}' {}", plan.plan().name, message)};
}

/// Versions are texts; a whole number is taken for one. Gives an empty text for anything else.
std::string version_text(const rows::Value& value) {
  if (const auto* const number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* const text = std::get_if<std::string_view>(&value)) return std::string(*text);
  return {};
}

}  // namespace

std::expected<LoadedPlan*, RankError> find_variant(const PlanSet& plans,
                                                   LoadedPlan& plan,
                                                   std::span<const NamedValue> versions) {
  plan::FragmentVersions chosen;
  for (const auto& [fragment, value] : versions) {
    const auto own = plan.plan().fragments.find(fragment);
    if (own == plan.plan().fragments.end())
      return std::unexpected(refusal(plan, base::format("has no fragment '{}'", fragment)));
    std::string version = version_text(value);
    if (version != own->second) chosen.insert_or_assign(own->first, std::move(version));
  }
  if (chosen.empty()) return &plan;
  std::string name = plan.plan().name;
  std::string wanted;
  for (const auto& [fragment, version] : chosen) {
    wanted += base::format("{}{}={}", wanted.empty() ? "" : ",", fragment, version);
  }
  if (LoadedPlan* const variant = plans.find(name + "@" + wanted)) return variant;
  return std::unexpected(refusal(plan, base::format("is not loaded with '{}'", wanted)));
}

}  // namespace millrace::rank
