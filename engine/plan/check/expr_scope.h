#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/syntax/scope.h"
#include "plan/check/key_set.h"
#include "plan/compiled_plan.h"
#include "plan/problem.h"
#include "plan/registry/registry.h"

namespace millrace::plan {

/// The outside names that the expressions of a plan read, each numbered once.
struct ExternalNames {
  std::vector<ExternalName> params;
  std::vector<ExternalName> request_fields;
  std::vector<ExternalName> viewer_fields;
};

/// A name that an expression may not use, and why.
struct NameProblem {
  ProblemCode code = ProblemCode::kUnknownName;
  std::string name;
};

/// What the expressions of one node may read: the keys of its first input, and everything
/// registered. Takes down which names were wrong, and numbers the outside ones.
/// Threading: not shared. Lifetime: borrows what it is made of.
class PlanScope final : public expr::Scope {
 public:
  /// `available` is null when what flows into the node is not known: then any key may be read.
  PlanScope(const Registry& registry, const KeySet* available, ExternalNames& externals)
      : registry_(registry), available_(available), externals_(externals) {}

  [[nodiscard]] std::optional<expr::NameInfo> find_name(expr::NameSource source,
                                                        std::string_view name) const override;
  [[nodiscard]] std::vector<std::string_view> names(expr::NameSource source) const override;

  /// In order of first use, each once.
  [[nodiscard]] const std::vector<NameProblem>& problems() const { return problems_; }

 private:
  [[nodiscard]] std::optional<expr::NameInfo> find_key(std::string_view name) const;
  [[nodiscard]] const FieldInfo* usable_key(std::string_view name) const;
  void note(ProblemCode code, std::string_view name) const;

  const Registry& registry_;
  const KeySet* available_;
  ExternalNames& externals_;
  // The interface is const for its users; looking a name up is what fills these.
  mutable std::vector<NameProblem> problems_;
};

}  // namespace millrace::plan
