// Runs every example of docs/guides/expressions.md.

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/compiled_expr.h"
#include "expr/evaluate_fixture.h"
#include "rows/rows_fixture.h"

namespace millrace::expr {
namespace {

using rows::ColumnType;
using rows::testing::Cell;
using rows::testing::Table;
using testing::Answer;
using testing::Bench;
using ::testing::HasSubstr;

struct Line {
  std::string block;  // the word after the fence
  std::string text;
};

std::vector<Line> guide_lines() {
  std::ifstream file(MR_SOURCE_DIR "/docs/guides/expressions.md");
  EXPECT_TRUE(file.is_open());
  std::vector<Line> lines;
  std::optional<std::string> block;
  for (std::string text; std::getline(file, text);) {
    if (text.starts_with("```")) {
      block = block ? std::nullopt : std::optional(text.substr(3));
    } else if (block && !text.empty()) {
      lines.push_back({*block, text});
    }
  }
  return lines;
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::pair<std::string, std::string> split(const std::string& text, std::string_view separator) {
  const std::size_t at = text.rfind(separator);
  EXPECT_NE(at, std::string::npos) << text;
  return {trimmed(text.substr(0, at)), trimmed(text.substr(at + separator.size()))};
}

Cell parse_cell(const std::string& text) {
  if (text == "null") return {};
  if (text == "true" || text == "false") return text == "true";
  if (text.front() == '"') return text.substr(1, text.size() - 2);
  if (text.find_first_of(".e") != std::string::npos) return std::stod(text);
  return static_cast<std::int64_t>(std::stoll(text));
}

ColumnType parse_type(const std::string& text) {
  if (text == "int") return ColumnType::kInt64;
  if (text == "float") return ColumnType::kFloat64;
  return text == "bool" ? ColumnType::kBool : ColumnType::kString;
}

// The row and request that the page declares.
std::unique_ptr<Bench> guide_bench(const std::vector<Line>& lines) {
  Table table{.names = {}, .types = {}, .rows = {{}}};
  struct Bound {
    NameSource source;
    std::string name;
    ColumnType type;
    Cell cell;
  };
  std::vector<Bound> bound;
  std::int64_t now_ms = 0;
  for (const Line& line : lines) {
    if (line.block != "row") continue;
    const auto [declaration, value] = split(line.text, " = ");
    if (declaration == "now") {
      now_ms = parse_cell(value).as_int();
      continue;
    }
    const auto [name, type] = split(declaration, ": ");
    if (name.starts_with("$req.")) {
      bound.push_back({NameSource::kRequest, name.substr(5), parse_type(type), parse_cell(value)});
    } else if (name.starts_with("$")) {
      bound.push_back({NameSource::kParam, name.substr(1), parse_type(type), parse_cell(value)});
    } else if (name.starts_with("viewer.")) {
      bound.push_back({NameSource::kViewer, name.substr(7), parse_type(type), parse_cell(value)});
    } else {
      table.names.push_back(name);
      table.types.push_back(parse_type(type));
      table.rows[0].push_back(parse_cell(value));
    }
  }
  auto bench = std::make_unique<Bench>(std::move(table));
  for (const Bound& b : bound) bench->with(b.source, b.name, b.type, b.cell);
  bench->at_time(now_ms);
  return bench;
}

TEST(ExpressionGuideTest, ExamplesGiveWhatThePageSays) {
  const std::vector<Line> lines = guide_lines();
  const std::unique_ptr<Bench> bench = guide_bench(lines);
  std::size_t count = 0;
  for (const Line& line : lines) {
    if (line.block != "expr") continue;
    ++count;
    const auto [text, expected] = split(line.text, "->");
    const Answer answer = bench->run(text);
    EXPECT_EQ(answer.problem, "") << text;
    if (expected == "error") {
      EXPECT_EQ(answer.errors.count, 1U) << text;
    } else {
      EXPECT_EQ(answer.errors.count, 0U) << text;
      EXPECT_EQ(answer.cells, std::vector<Cell>{parse_cell(expected)}) << text;
    }
  }
  EXPECT_GT(count, 70U);
}

TEST(ExpressionGuideTest, MistakesAreReportedAsThePageSays) {
  const std::vector<Line> lines = guide_lines();
  const std::unique_ptr<Bench> bench = guide_bench(lines);
  std::size_t count = 0;
  for (const Line& line : lines) {
    if (line.block != "error") continue;
    ++count;
    const auto [text, expected] = split(line.text, "->");
    const base::Result<CompiledExprRef> compiled = compile(text, bench->scope());
    ASSERT_FALSE(compiled) << text;
    EXPECT_EQ(compiled.error().code(), base::ErrorCode::kInvalidExpression);
    EXPECT_THAT(compiled.error().message(), HasSubstr(expected)) << text;
  }
  EXPECT_GT(count, 7U);
}

TEST(ExpressionGuideTest, TheReportIsShownAsItIs) {
  const std::vector<Line> lines = guide_lines();
  std::string shown;
  for (const Line& line : lines) {
    if (line.block == "text") shown += line.text + "\n";
  }
  const base::Result<CompiledExprRef> compiled =
      compile("lieks * $wieght", guide_bench(lines)->scope());
  EXPECT_EQ(compiled.error().message() + "\n", shown);
}

}  // namespace
}  // namespace millrace::expr
