#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "expr/compiled_expr.h"
#include "expr/evaluate.h"
#include "graph/payload.h"
#include "rows/column.h"
#include "rows/row_scratch.h"

namespace millrace::bridge {

/// An expression of the language of plans over a message: a name is a member of an object, and
/// `value` is a message that is no object. A member that is missing is null. Types are those of the
/// values, so the expression is compiled once for each combination of types that messages have.
/// Threading: not shared.
class PayloadExpression {
 public:
  /// Reads the text. Fails if it is malformed or uses a param, a request or a viewer, which graphs
  /// do not have. `result` is the type that it must give, if any.
  [[nodiscard]] static base::Result<PayloadExpression> make(
      std::string_view text, std::optional<rows::ColumnType> result = {});

  /// Gives the value for a message; `now()` is the time of the graph. Fails if the types do not
  /// fit or the expression has no value, as when an integer grows too large.
  [[nodiscard]] base::Result<graph::Payload> evaluate(const graph::Payload& message,
                                                      base::Duration now);

 private:
  struct Field {
    std::string name;
    std::optional<rows::ColumnType> last_type = {};
  };

  PayloadExpression() = default;
  /// The type of each field; nothing where the message has none.
  [[nodiscard]] base::Result<std::vector<std::optional<rows::ColumnType>>> types_of(
      const graph::Payload& message) const;
  [[nodiscard]] base::Result<expr::CompiledExprRef> compile_for(
      const std::vector<std::optional<rows::ColumnType>>& given);
  [[nodiscard]] base::Result<expr::CompiledExprRef> compile_with(
      const std::vector<rows::ColumnType>& types);

  std::string text_;
  std::optional<rows::ColumnType> result_;
  std::vector<Field> fields_;
  std::map<std::vector<rows::ColumnType>, expr::CompiledExprRef> compiled_;
};

/// What is wrong with the text of an expression, or an empty text.
[[nodiscard]] std::string find_expression_fault(std::string_view text);

}  // namespace millrace::bridge
