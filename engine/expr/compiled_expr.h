#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/program/program.h"
#include "expr/syntax/diagnostic.h"
#include "expr/syntax/limits.h"
#include "expr/syntax/scope.h"
#include "expr/syntax/tree.h"
#include "expr/syntax/type_checker.h"
#include "rows/column.h"

namespace millrace::expr {

class CompiledExpr;
/// Owners: the plan that has the expression, and every BoundExpr made of it.
using CompiledExprRef = std::shared_ptr<const CompiledExpr>;

struct CompileOptions {
  Limits limits{};
  /// Type the result must have; an int then becomes a float, and a bare `null` takes the type.
  std::optional<rows::ColumnType> result{};
  /// Receives every problem and warning with its place, when set.
  std::vector<Diagnostic>* diagnostics = nullptr;
};

/// An expression that has been parsed, checked and turned into code.
/// Threading: any thread; immutable.
class CompiledExpr {
 public:
  /// Text as given; diagnostics and row errors point into it.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Canonical text: equal for expressions that differ only in spacing and redundant parentheses.
  [[nodiscard]] std::string canonical_text() const;
  [[nodiscard]] rows::ColumnType type() const { return program_.type; }
  /// Whether a row without a row error may give null.
  [[nodiscard]] bool nullable() const { return tree_.root().nullable; }
  /// What the expression reads: keys, params, request and viewer fields, each once.
  [[nodiscard]] std::span<const NameUse> names() const { return names_; }
  [[nodiscard]] bool uses_now() const;
  [[nodiscard]] const Tree& tree() const { return tree_; }
  [[nodiscard]] const Program& program() const { return program_; }

 private:
  struct Parts {
    std::string text;
    Tree tree;
    std::vector<NameUse> names;
    Program program;
  };
  friend base::Result<CompiledExprRef> compile(std::string_view text,
                                               const Scope& scope,
                                               const CompileOptions& options);

 public:
  /// Only `compile` can name `Parts`.
  explicit CompiledExpr(Parts parts);

 private:
  std::string text_;
  Tree tree_;
  std::vector<NameUse> names_;
  Program program_;
};

/// Compiles an expression. On failure the error holds all problems, rendered.
[[nodiscard]] base::Result<CompiledExprRef> compile(std::string_view text,
                                                    const Scope& scope,
                                                    const CompileOptions& options = {});

/// The same for an expression that must be bool.
[[nodiscard]] base::Result<CompiledExprRef> compile_predicate(std::string_view text,
                                                              const Scope& scope,
                                                              CompileOptions options = {});

}  // namespace millrace::expr
