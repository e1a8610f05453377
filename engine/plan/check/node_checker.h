#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/syntax/diagnostic.h"
#include "expr/syntax/tree.h"
#include "plan/check/columns.h"
#include "plan/check/draft.h"
#include "plan/check/expr_scope.h"
#include "plan/check/key_history.h"

namespace millrace::plan {

/// What all checks of nodes use.
/// Lifetime: borrows all of it.
struct CheckSetting {
  const ColumnAnalysis& analysis;
  const CheckContext& context;
};

/// Checks the params of one node against the columns of its inputs and compiles its expressions.
/// Threading: not shared. Lifetime: borrows the arguments of its constructor.
class NodeChecker {
 public:
  /// `inputs` holds the columns of each input, null when they are not known.
  NodeChecker(Draft& draft,
              std::uint32_t index,
              std::vector<const NodeColumns*> inputs,
              const ColumnsByNode& columns,
              const CheckSetting& setting);

  void check(ExternalNames& externals);
  /// Says whether an expression of the node reads `viewer.x`.
  [[nodiscard]] bool reads_viewer() const { return reads_viewer_; }

 private:
  void check_task_keys();
  void check_param(std::size_t param, ExternalNames& externals);
  void check_pattern(const std::string& text,
                     const base::ValuePlace& where,
                     ExternalNames& externals);
  void check_pattern_name(std::string_view name,
                          const base::ValuePlace& where,
                          ExternalNames& externals);
  void check_fetched(const std::vector<std::string>& keys, const base::ValuePlace& where);
  void check_available(std::string_view key, const base::ValuePlace& where, std::size_t input = 0);
  [[nodiscard]] std::vector<std::string_view> written_by(std::size_t param) const;
  /// Refuses a key that two params would write.
  void check_written_once(std::size_t param);
  [[nodiscard]] std::size_t input_of(const ParamSpec& spec) const;
  void report_missing(const FieldInfo& key, const base::ValuePlace& where, std::size_t input);
  void warn_if_partial(std::string_view key, const base::ValuePlace& where);
  void warn_of_partial_keys(const expr::Tree& tree, const base::ValuePlace& where);
  template <class Info>
  void warn_of_deprecated(std::string_view kind, const Info& info, const base::ValuePlace& where);
  void check_endpoints();
  /// Checks that the keys of a node that reads a graph are in one of the endpoint's tables.
  void check_tables(const EndpointInfo& endpoint);
  void compile_expr(std::size_t param, ExternalNames& externals);
  [[nodiscard]] const FieldInfo* out_key() const;
  void report_diagnostic(const expr::Diagnostic& diagnostic,
                         const std::string& text,
                         const base::ValuePlace& where,
                         const std::vector<NameProblem>& names);
  void report_names(const std::vector<NameProblem>& names,
                    const std::string& text,
                    const base::ValuePlace& where);

  CompiledNode& node_;
  const ParamPlaces& places_;
  const base::ValuePlace& where_;
  const ColumnAnalysis& analysis_;
  const CheckContext& context_;
  std::vector<const NodeColumns*> inputs_;
  KeyHistory history_;
  std::optional<KeySet> available_;  // in the first input; nothing: not known
  bool reads_viewer_ = false;
};

}  // namespace millrace::plan
