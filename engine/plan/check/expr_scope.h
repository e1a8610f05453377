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

/// The names from outside the rows that the expressions of a plan read; the index of each is its
/// number.
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

/// What the expressions of one node may read: the keys of its first input, and every registered
/// param, request field and viewer field. Remembers which names were wrong, and numbers the names
/// from outside the rows.
/// Threading: not shared. Lifetime: borrows the arguments of its constructor.
class PlanScope final : public expr::Scope {
 public:
  /// `available` holds the keys of the node's first input. It is null when they are not known: then
  /// any key may be read.
  PlanScope(const Registry& registry, const KeySet* available, ExternalNames& externals)
      : registry_(registry), available_(available), externals_(externals) {}

  /// Makes `names` empty: for expressions whose problems are only counted, so that nobody compares
  /// a wrong name with all that exist.
  void suggest_no_names() { suggests_names_ = false; }

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
  bool suggests_names_ = true;
  // Mutable because `find_name`, which fills it, is const in the interface.
  mutable std::vector<NameProblem> problems_;
};

}  // namespace millrace::plan
