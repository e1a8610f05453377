// Feeds bytes to the expression compiler. Text that parses must print to text that parses to the
// same tree, and text that compiles must run over a few rows within the limits: no crash, no hang.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "expr/bound_expr.h"
#include "expr/compiled_expr.h"
#include "expr/evaluate.h"
#include "expr/syntax/parser.h"
#include "expr/syntax/printer.h"
#include "expr/syntax/scope_fixture.h"
#include "rows/batch.h"
#include "rows/column_builder.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace)

// Allows for the parentheses that canonical text adds.
expr::Limits larger(expr::Limits limits) {
  limits.depth_max *= 4;
  limits.text_bytes_max *= 8;
  limits.regex_bytes_max *= 2;
  return limits;
}

rows::RowSet make_rows(rows::RowScratch& memory) {
  rows::Int64ColumnBuilder id(memory);
  rows::Int64ColumnBuilder integer(memory);
  rows::Float64ColumnBuilder number(memory);
  rows::BoolColumnBuilder boolean(memory);
  rows::StringColumnBuilder text(memory);
  for (std::int64_t i = 0; i < 3; ++i) {
    id.append(i);
    i == 1 ? integer.append_null() : integer.append(i << 62U);
    i == 2 ? number.append_null() : number.append(0.5 * static_cast<double>(i));
    i == 0 ? boolean.append_null() : boolean.append(1);
    i == 1 ? text.append_null() : text.append("Text");
  }
  const rows::ColumnRef integers = integer.finish();
  const rows::ColumnRef numbers = number.finish();
  const rows::ColumnRef booleans = boolean.finish();
  const rows::ColumnRef texts = text.finish();
  return rows::RowSet(rows::Batch::make({{"id", id.finish()},
                                         {"a", integers},
                                         {"b", integers},
                                         {"x", numbers},
                                         {"y", numbers},
                                         {"score", numbers},
                                         {"on", booleans},
                                         {"off", booleans},
                                         {"name", texts},
                                         {"country", texts}})
                          .value());
}

void check_round_trip(const expr::Tree& tree, const expr::Limits& limits) {
  const std::string printed = expr::to_text(tree);
  const std::expected<expr::Tree, expr::Diagnostic> again = expr::parse(printed, larger(limits));
  MR_CHECK(again.has_value(), printed);
  MR_CHECK(expr::same_tree(tree, *again), printed);
}

void evaluate_all(const expr::CompiledExprRef& compiled) {
  static rows::RowScratch memory;
  static expr::EvalScratch scratch(memory);
  static const rows::RowSet all = make_rows(memory);
  const std::vector<rows::Value> params{0.5, std::int64_t{3}, std::string_view("label"), true};
  const std::vector<rows::Value> fields{std::string_view("US"), std::monostate{}};
  const base::Result<expr::BoundExpr> bound =
      expr::BoundExpr::bind(compiled, {.params = params, .request = fields, .viewer = fields});
  MR_CHECK(bound.has_value(), bound.error().to_string());
  MR_CHECK(expr::evaluate(*bound, all, scratch).has_value());
  MR_CHECK(expr::evaluate(*bound, all.window(1, 1), scratch).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const expr::MapScope scope = expr::sample_scope();
  expr::Limits limits;
  limits.text_bytes_max = 4096;
  limits.node_count_max = 512;
  limits.regex_bytes_max = 64;
  limits.regex_count_max = 4;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::expected<expr::Tree, expr::Diagnostic> tree = expr::parse(text, limits);
  if (!tree) {
    MR_CHECK(!expr::render(text, tree.error()).empty());
    return 0;
  }
  check_round_trip(*tree, limits);
  const base::Result<expr::CompiledExprRef> compiled =
      expr::compile(text, scope, {.limits = limits});
  if (compiled) evaluate_all(*compiled);
  return 0;
}
