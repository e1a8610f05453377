#include "expr/compiled_expr.h"

#include <algorithm>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "expr/program/lowering.h"
#include "expr/syntax/parser.h"
#include "expr/syntax/printer.h"
#include "rows/column.h"

namespace millrace::expr {

namespace {

bool has_error(const std::vector<Diagnostic>& diagnostics) {
  return std::ranges::any_of(diagnostics, [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::kError;
  });
}

}  // namespace

CompiledExpr::CompiledExpr(Parts parts)
    : text_(std::move(parts.text)),
      tree_(std::move(parts.tree)),
      names_(std::move(parts.names)),
      program_(std::move(parts.program)) {}

std::string CompiledExpr::canonical_text() const { return to_text(tree_); }

bool CompiledExpr::uses_now() const {
  return std::ranges::any_of(tree_.nodes(),
                             [](const Node& node) { return node.function == Function::kNow; });
}

base::Result<CompiledExprRef> compile(std::string_view text,
                                      const Scope& scope,
                                      const CompileOptions& options) {
  std::vector<Diagnostic> diagnostics;
  CompiledExpr::Parts parts;
  parts.text = text;
  std::optional<Program> program;
  std::expected<Tree, Diagnostic> tree = parse(text, options.limits);
  if (!tree) {
    diagnostics.push_back(std::move(tree).error());
  } else {
    parts.tree = *std::move(tree);
    parts.names = check_types(parts.tree, scope, options.result, diagnostics);
    if (!has_error(diagnostics)) {
      const rows::ColumnType type =
          options.result ? *options.result : to_column_type(parts.tree.root().type);
      program = lower(parts.tree, type, options.limits, diagnostics);
    }
  }
  if (options.diagnostics != nullptr) {
    options.diagnostics->insert(options.diagnostics->end(), diagnostics.begin(), diagnostics.end());
  }
  if (!program) return std::unexpected(to_error(text, diagnostics));
  parts.program = *std::move(program);
  return std::make_shared<const CompiledExpr>(std::move(parts));
}

base::Result<CompiledExprRef> compile_predicate(std::string_view text,
                                                const Scope& scope,
                                                CompileOptions options) {
  options.result = rows::ColumnType::kBool;
  return compile(text, scope, options);
}

}  // namespace millrace::expr
