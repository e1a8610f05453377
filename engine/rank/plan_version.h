#pragma once

#include <string>
#include <string_view>

#include "plan/compiled_plan.h"

namespace millrace::rank {

/// The name of a plan's version: what the artifact says, else the first 8 digits of its digest.
[[nodiscard]] std::string version_of(const plan::CompiledPlan& plan);

/// Whether a text names the version of a plan: what the artifact says, or 8 or more of the first
/// digits of its digest.
[[nodiscard]] bool is_version(const plan::CompiledPlan& plan, std::string_view text);

}  // namespace millrace::rank
