#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/syntax/diagnostic.h"
#include "plan/check/columns.h"
#include "plan/check/draft.h"
#include "plan/check/expr_scope.h"

namespace millrace::plan {

/// Checks the params of one node against the columns of its first input and compiles its
/// expressions.
/// Threading: not shared. Lifetime: borrows the arguments of its constructor.
class NodeChecker {
 public:
  /// `input` holds the columns of the first input; null when they are not known.
  NodeChecker(Draft& draft,
              std::uint32_t index,
              const NodeColumns* input,
              const ColumnAnalysis& analysis,
              const CheckContext& context);

  void check(ExternalNames& externals);
  /// Says whether an expression of the node reads `viewer.x`.
  [[nodiscard]] bool reads_viewer() const { return reads_viewer_; }

 private:
  void check_task_keys();
  void check_param(std::size_t param);
  void check_pattern(const std::string& pattern, const base::ValuePlace& where);
  void check_available(std::string_view key, const base::ValuePlace& where);
  template <class Info>
  void warn_of_deprecated(std::string_view kind, const Info& info);
  void check_endpoints();
  void compile_expr(std::size_t param, ExternalNames& externals);
  [[nodiscard]] const FieldInfo* out_key() const;
  void report_diagnostic(const expr::Diagnostic& diagnostic,
                         const std::string& text,
                         const base::ValuePlace& where,
                         const std::vector<NameProblem>& names);
  void report_names(const std::vector<NameProblem>& names,
                    const std::string& text,
                    const base::ValuePlace& where);

  Draft& draft_;
  CompiledNode& node_;
  const ParamPlaces& places_;
  const base::ValuePlace& where_;
  const ColumnAnalysis& analysis_;
  const CheckContext& context_;
  std::optional<KeySet> available_;  // nothing: not known
  bool reads_viewer_ = false;
};

}  // namespace millrace::plan
