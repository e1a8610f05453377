#include "rank/plan_version.h"

#include <cstddef>

namespace millrace::rank {
namespace {

constexpr std::size_t kVersionDigits = 8;

std::string_view digits_of(const plan::CompiledPlan& plan) {
  const std::string_view digest = plan.digest;
  const std::size_t colon = digest.find(':');
  return digest.substr(colon == std::string_view::npos ? 0 : colon + 1);
}

}  // namespace

std::string version_of(const plan::CompiledPlan& plan) {
  if (!plan.version.empty()) return plan.version;
  return std::string(digits_of(plan).substr(0, kVersionDigits));
}

bool is_version(const plan::CompiledPlan& plan, std::string_view text) {
  if (text.empty()) return false;
  if (text == plan.version || text == plan.digest) return true;
  return text.size() >= kVersionDigits && digits_of(plan).starts_with(text);
}

}  // namespace millrace::rank
