#include "expr/oracle/oracle.h"

#include <cstdint>
#include <limits>
#include <string_view>

#include <gtest/gtest.h>

#include "expr/compiled_expr.h"
#include "expr/syntax/scope_fixture.h"

namespace millrace::expr::oracle {
namespace {

Outcome outcome(std::string_view text) {
  const base::Result<CompiledExprRef> compiled = compile(text, sample_scope());
  if (!compiled) {
    ADD_FAILURE() << compiled.error().to_string();
    return {};
  }
  const auto lookup = [](NameSource source, std::string_view name) -> Cell {
    if (source == NameSource::kParam) return 2.0;
    if (name == "a") return std::numeric_limits<std::int64_t>::max();
    return name == "id" ? Cell(5) : Cell();
  };
  return evaluate_row((*compiled)->tree(), lookup, 77);
}

// The oracle judges the machine; these few cases judge the oracle.
TEST(OracleTest, KnowsTheRulesThatMatterMost) {
  EXPECT_EQ(outcome("id + 1").value, Cell(6));
  EXPECT_EQ(outcome("id / 2").value, Cell(2.5));
  EXPECT_EQ(outcome("id * $weight").value, Cell(10.0));
  EXPECT_EQ(outcome("b + 1").value, Cell());
  EXPECT_EQ(outcome("b > 1").value, Cell(false));
  EXPECT_EQ(outcome("not (b > 1)").value, Cell(true));
  EXPECT_EQ(outcome("id / 0").value, Cell());
  EXPECT_EQ(outcome("on and true").value, Cell());
  EXPECT_EQ(outcome("on and false").value, Cell(false));
  EXPECT_EQ(outcome("coalesce(b, id)").value, Cell(5));
  EXPECT_EQ(outcome("now()").value, Cell(77));
  EXPECT_TRUE(outcome("a + 1").is_error);
  EXPECT_TRUE(outcome("coalesce(a + 1, 0)").is_error);
  EXPECT_FALSE(outcome("if(id == 5, 0, a + 1)").is_error);
  EXPECT_EQ(as_float(outcome("id")).value, Cell(5.0));
}

}  // namespace
}  // namespace millrace::expr::oracle
