#include "expr/why_not.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "base/readable_number.h"
#include "expr/evaluate.h"
#include "expr/syntax/printer.h"
#include "expr/syntax/scope.h"
#include "expr/syntax/tree.h"
#include "rows/row_scratch.h"

namespace millrace::expr {
namespace {

constexpr std::size_t kTextMax = 200;        // bytes of an expression in a sentence
constexpr std::size_t kStringMax = 60;       // bytes of a string value
constexpr std::size_t kAlternativesMax = 4;  // parts of an `or` that are told
constexpr int kDepthMax = 8;                 // `and`, `or` and `not` inside each other

// Cuts a text without cutting through a UTF-8 sequence.
std::string shortened(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + "…";
}

// A message as a part of a sentence.
std::string lowered(std::string message) {
  if (!message.empty() && message[0] >= 'A' && message[0] <= 'Z')
    message[0] = static_cast<char>(message[0] - 'A' + 'a');
  return message;
}

// The names that an expression was compiled with, for compiling its parts.
class UsedNames final : public Scope {
 public:
  explicit UsedNames(std::span<const NameUse> uses) : uses_(uses) {}

  [[nodiscard]] std::optional<NameInfo> find_name(NameSource source,
                                                  std::string_view name) const override {
    for (const NameUse& use : uses_) {
      if (use.source == source && use.name == name) return use.info;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::vector<std::string_view> names(NameSource) const override { return {}; }

 private:
  std::span<const NameUse> uses_;
};

// What a part of the expression gives for the row. The column keeps texts alive.
struct Cell {
  rows::Value value = {};
  std::string error = {};
  rows::ColumnRef column = {};

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value); }
  [[nodiscard]] bool is(bool flag) const { return value == rows::Value(flag); }
};

class Describer {
 public:
  Describer(const CompiledExpr& expr, const Bindings& bindings, const rows::RowSet& row)
      : expr_(expr), tree_(expr.tree()), bindings_(bindings), row_(row), names_(expr.names()) {}

  WhyNot run() {
    const NodeIndex root = tree_.root_index();
    const Cell whole = evaluate_part(root);
    if (!whole.error.empty())
      return {.is_error = true,
              .text = base::format("{} of `{}`", lowered(whole.error), text_of(root))};
    if (expr_.type() != rows::ColumnType::kBool || whole.is(true)) return {};
    return {.text = say_false(root, 0)};
  }

 private:
  [[nodiscard]] Cell evaluate_part(NodeIndex index) const {
    if (tree_.node(index).op == Op::kNull) return {};
    auto compiled = compile(to_text(subtree(tree_, index)), names_);
    if (!compiled) return {};
    auto bound = BoundExpr::bind(*std::move(compiled), bindings_);
    if (!bound) return {};
    rows::RowScratch memory(0);
    EvalScratch scratch(memory);
    auto evaluated = evaluate(*bound, row_, scratch);
    if (!evaluated) return {};
    if (evaluated->errors.first) return {.error = evaluated->errors.first->message};
    return {.value = evaluated->column->value_at(row_.row_at(0)), .column = evaluated->column};
  }

  [[nodiscard]] std::string text_of(NodeIndex index) const {
    return shortened(to_text(subtree(tree_, index)), kTextMax);
  }

  // The parts of a chain of one operator: `a`, `b` and `c` of `a and b and c`.
  [[nodiscard]] std::vector<NodeIndex> parts_of(NodeIndex index, Op op) const {
    std::vector<NodeIndex> parts;
    std::vector<NodeIndex> open{index};
    while (!open.empty()) {
      const NodeIndex next = open.back();
      open.pop_back();
      if (tree_.node(next).op != op) {
        parts.push_back(next);
        continue;
      }
      const auto children = tree_.children(tree_.node(next));
      open.insert(open.end(), children.rbegin(), children.rend());
    }
    return parts;
  }

  [[nodiscard]] NodeIndex child(NodeIndex index, std::size_t which = 0) const {
    return tree_.children(tree_.node(index))[which];
  }

  [[nodiscard]] static bool is_literal(Op op) {
    return op == Op::kNull || op == Op::kBool || op == Op::kInt || op == Op::kFloat ||
           op == Op::kString;
  }
  [[nodiscard]] static bool is_name(Op op) {
    return op == Op::kKey || op == Op::kParam || op == Op::kRequest || op == Op::kViewer;
  }
  [[nodiscard]] static bool is_comparison(Op op) {
    return op >= Op::kEqual && op <= Op::kGreaterEqual;
  }

  // `score 0.32`, `likes * 2` (14), or 0.5.
  [[nodiscard]] std::string operand(NodeIndex index, const Cell& cell, bool exact) const {
    const Op op = tree_.node(index).op;
    if (is_literal(op)) return text_of(index);
    const std::string text = exact ? exact_text(cell.value) : value_text(cell.value);
    if (is_name(op)) return base::format("{} {}", text_of(index), text);
    return base::format("`{}` ({})", text_of(index), text);
  }
  [[nodiscard]] std::string subject(NodeIndex index) const {
    return is_name(tree_.node(index).op) ? text_of(index) : base::format("`{}`", text_of(index));
  }

  // Why the part at `index`, which is not true, is not.
  [[nodiscard]] std::string say_false(NodeIndex index, int depth) const {
    const Node& node = tree_.node(index);
    if (depth == kDepthMax) return base::format("`{}` is not true", text_of(index));
    if (node.op == Op::kAnd) return say_false(failing_part(index), depth + 1);
    if (node.op == Op::kOr) return say_all(parts_of(index, Op::kOr), false, depth);
    if (node.op == Op::kNot) {
      if (evaluate_part(child(index)).is_null())
        return base::format("{} is null", subject(child(index)));
      return say_true(child(index), depth + 1);
    }
    if (is_comparison(node.op)) return say_comparison(index, "is not");
    if (node.op == Op::kIn) return say_test(index, "is not in", list_text(index));
    if (node.op == Op::kMatch) return say_test(index, "does not match", pattern_text(index));
    if (node.op == Op::kIsNull)
      return base::format("{} is {}, not null",
                          subject(child(index)),
                          value_text(evaluate_part(child(index)).value));
    if (node.op == Op::kBool) return "the condition is `false`";
    return base::format("{} is {}", subject(index), value_text(evaluate_part(index).value));
  }

  // Why the part at `index`, which is true, is.
  [[nodiscard]] std::string say_true(NodeIndex index, int depth) const {
    const Node& node = tree_.node(index);
    if (depth == kDepthMax) return base::format("`{}` is true", text_of(index));
    if (node.op == Op::kAnd) return say_all(parts_of(index, Op::kAnd), true, depth);
    if (node.op == Op::kOr) {
      for (const NodeIndex part : parts_of(index, Op::kOr)) {
        if (evaluate_part(part).is(true)) return say_true(part, depth + 1);
      }
    }
    if (node.op == Op::kNot) return say_false(child(index), depth + 1);
    if (is_comparison(node.op)) return say_comparison(index, "is");
    if (node.op == Op::kIn) return say_test(index, "is in", list_text(index));
    if (node.op == Op::kMatch) return say_test(index, "matches", pattern_text(index));
    if (node.op == Op::kIsNull) return base::format("{} is null", subject(child(index)));
    return base::format("{} is true", subject(index));
  }

  // The first part of an `and` that is false, or else the first that is not true.
  [[nodiscard]] NodeIndex failing_part(NodeIndex index) const {
    std::optional<NodeIndex> unknown;
    for (const NodeIndex part : parts_of(index, Op::kAnd)) {
      const Cell cell = evaluate_part(part);
      if (cell.is(false)) return part;
      if (!cell.is(true) && !unknown) unknown = part;
    }
    return unknown.value_or(child(index));
  }

  [[nodiscard]] std::string say_all(const std::vector<NodeIndex>& parts,
                                    bool holds,
                                    int depth) const {
    std::string text;
    for (std::size_t part = 0; part < std::min(parts.size(), kAlternativesMax); ++part) {
      if (part != 0) text += " and ";
      text += holds ? say_true(parts[part], depth + 1) : say_false(parts[part], depth + 1);
    }
    if (parts.size() > kAlternativesMax)
      text += base::format(" and {} more", parts.size() - kAlternativesMax);
    return text;
  }

  [[nodiscard]] std::string say_comparison(NodeIndex index, std::string_view verb) const {
    const NodeIndex left = child(index, 0);
    const NodeIndex right = child(index, 1);
    const Cell left_cell = evaluate_part(left);
    const Cell right_cell = evaluate_part(right);
    if (left_cell.is_null()) return base::format("{} is null", subject(left));
    if (right_cell.is_null()) return base::format("{} is null", subject(right));
    const bool exact = look_alike(left_cell.value, right_cell.value);
    return base::format("{} {} {} {}",
                        operand(left, left_cell, exact),
                        verb,
                        symbol(tree_.node(index).op),
                        operand(right, right_cell, exact));
  }

  [[nodiscard]] std::string say_test(NodeIndex index,
                                     std::string_view verb,
                                     const std::string& than) const {
    const Cell cell = evaluate_part(child(index));
    if (cell.is_null()) return base::format("{} is null", subject(child(index)));
    return base::format("{} {} {}", operand(child(index), cell, true), verb, than);
  }

  // What stands right of the operator in the printed text.
  [[nodiscard]] std::string list_text(NodeIndex index) const {
    std::string text = "[";
    const auto elements = tree_.children(tree_.node(index)).subspan(1);
    for (const NodeIndex element : elements) {
      if (text.size() > 1) text += ", ";
      text += text_of(element);
      if (text.size() > kTextMax) return shortened(std::move(text), kTextMax) + "]";
    }
    return text + "]";
  }
  [[nodiscard]] std::string pattern_text(NodeIndex index) const {
    const Node& node = tree_.node(index);
    return shortened(
        base::format("/{}/{}", tree_.text(node.text_index), tree_.text(node.flags_index)),
        kTextMax);
  }

  const CompiledExpr& expr_;
  const Tree& tree_;
  const Bindings& bindings_;
  const rows::RowSet& row_;
  const UsedNames names_;
};

}  // namespace

WhyNot why_not(const CompiledExpr& expr, const Bindings& bindings, const rows::RowSet& row) {
  return Describer(expr, bindings, row).run();
}

std::string value_text(const rows::Value& value) {
  if (const auto* const flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* const number = std::get_if<double>(&value)) return base::readable_number(*number);
  if (const auto* const text = std::get_if<std::string_view>(&value))
    return "\"" + shortened(std::string(*text), kStringMax) + "\"";
  return "null";
}

std::string exact_text(const rows::Value& value) {
  if (const auto* const number = std::get_if<double>(&value)) return base::format("{}", *number);
  return value_text(value);
}

bool look_alike(const rows::Value& left, const rows::Value& right) {
  const bool has_float =
      std::holds_alternative<double>(left) || std::holds_alternative<double>(right);
  return has_float && value_text(left) == value_text(right);
}

}  // namespace millrace::expr
