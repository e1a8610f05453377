#include "expr/oracle/oracle.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "expr/program/regex.h"
#include "expr/syntax/function_table.h"
#include "expr/syntax/tree.h"

namespace millrace::expr::oracle {

namespace {

constexpr std::int64_t kRegexMemory = 8 * 1024 * 1024;

Outcome error() { return {.value = {}, .is_error = true}; }
Outcome null() { return {}; }
Outcome value(Cell cell) { return {.value = std::move(cell)}; }

bool is_int(const Cell& cell) { return std::holds_alternative<std::int64_t>(cell.value); }
bool is_true(const Cell& cell) { return cell == Cell(true); }
bool is_false(const Cell& cell) { return cell == Cell(false); }
const std::string& text(const Cell& cell) { return std::get<std::string>(cell.value); }

double number(const Cell& cell) {
  return is_int(cell) ? static_cast<double>(cell.as_int()) : cell.as_float();
}

Outcome in_int_range(__int128 result) {
  if (result < std::numeric_limits<std::int64_t>::min()) return error();
  if (result > std::numeric_limits<std::int64_t>::max()) return error();
  return value(static_cast<std::int64_t>(result));
}

class Walker {
 public:
  Walker(const Tree& tree, const Lookup& lookup, std::int64_t now_ms)
      : tree_(tree), lookup_(lookup), now_ms_(now_ms) {}

  Outcome walk(NodeIndex index) const {
    const Node& node = tree_.node(index);
    switch (node.op) {
      case Op::kNull:
        return null();
      case Op::kBool:
        return value(node.boolean);
      case Op::kInt:
        return value(node.integer);
      case Op::kFloat:
        return value(node.number);
      case Op::kString:
        return value(tree_.text(node.text_index));
      case Op::kKey:
        return value(lookup_(NameSource::kKey, tree_.text(node.text_index)));
      case Op::kParam:
        return value(lookup_(NameSource::kParam, tree_.text(node.text_index)));
      case Op::kRequest:
        return value(lookup_(NameSource::kRequest, tree_.text(node.text_index)));
      case Op::kViewer:
        return value(lookup_(NameSource::kViewer, tree_.text(node.text_index)));
      case Op::kNegate:
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kDivide:
      case Op::kModulo:
        return arithmetic(node);
      case Op::kEqual:
      case Op::kNotEqual:
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual:
        return comparison(node);
      case Op::kNot: {
        const Outcome operand = child(node, 0);
        if (operand.is_error) return error();
        return operand.value.is_null() ? null() : value(!is_true(operand.value));
      }
      case Op::kAnd:
      case Op::kOr:
        return logic(node);
      case Op::kIn:
        return in(node);
      case Op::kMatch:
        return match(node);
      case Op::kIsNull: {
        const Outcome operand = child(node, 0);
        return operand.is_error ? error() : value(operand.value.is_null());
      }
      case Op::kCall:
        return call(node);
    }
    return null();
  }

 private:
  Outcome child(const Node& node, std::size_t index) const {
    return walk(tree_.children(node)[index]);
  }

  // All operands, or the error of the first that has one, or null if one is null.
  struct Operands {
    std::vector<Cell> cells;
    bool is_error = false;
    bool is_null = false;
  };

  Operands operands(const Node& node) const {
    Operands out;
    for (const NodeIndex index : tree_.children(node)) {
      Outcome outcome = walk(index);
      out.is_error = out.is_error || outcome.is_error;
      out.is_null = out.is_null || outcome.value.is_null();
      out.cells.push_back(std::move(outcome.value));
    }
    return out;
  }

  Outcome arithmetic(const Node& node) const {
    const Operands in = operands(node);
    if (in.is_error) return error();
    if (in.is_null) return null();
    if (node.op == Op::kNegate) {
      if (node.type == Type::kInt)
        return in_int_range(-static_cast<__int128>(in.cells[0].as_int()));
      return value(-number(in.cells[0]));
    }
    if (node.type == Type::kInt)
      return integer(node.op, in.cells[0].as_int(), in.cells[1].as_int());
    return floating(node.op, number(in.cells[0]), number(in.cells[1]));
  }

  static Outcome integer(Op op, std::int64_t a, std::int64_t b) {
    const __int128 wide_a = a;
    switch (op) {
      case Op::kAdd:
        return in_int_range(wide_a + b);
      case Op::kSubtract:
        return in_int_range(wide_a - b);
      case Op::kMultiply:
        return in_int_range(wide_a * b);
      default:
        return b == 0 ? null() : in_int_range(wide_a % b);
    }
  }

  static Outcome floating(Op op, double a, double b) {
    switch (op) {
      case Op::kAdd:
        return value(a + b);
      case Op::kSubtract:
        return value(a - b);
      case Op::kMultiply:
        return value(a * b);
      case Op::kDivide:
        return b == 0 ? null() : value(a / b);
      default:
        return b == 0 ? null() : value(std::fmod(a, b));
    }
  }

  static bool compare(Op op, const auto& a, const auto& b) {
    switch (op) {
      case Op::kEqual:
        return a == b;
      case Op::kNotEqual:
        return a != b;
      case Op::kLess:
        return a < b;
      case Op::kLessEqual:
        return a <= b;
      case Op::kGreater:
        return a > b;
      default:
        return a >= b;
    }
  }

  // False if either is null. An int compared with a float is converted to float.
  static bool compare_cells(Op op, const Cell& a, const Cell& b) {
    if (a.is_null() || b.is_null()) return false;
    if (is_int(a) && is_int(b)) return compare(op, a.as_int(), b.as_int());
    if (std::holds_alternative<std::string>(a.value)) return compare(op, text(a), text(b));
    if (std::holds_alternative<bool>(a.value)) return compare(op, is_true(a), is_true(b));
    return compare(op, number(a), number(b));
  }

  Outcome comparison(const Node& node) const {
    const Operands in = operands(node);
    if (in.is_error) return error();
    return value(compare_cells(node.op, in.cells[0], in.cells[1]));
  }

  // Evaluates the right side only where the left does not decide.
  Outcome logic(const Node& node) const {
    const bool is_and = node.op == Op::kAnd;
    const Outcome left = child(node, 0);
    if (left.is_error) return error();
    if (is_and ? is_false(left.value) : is_true(left.value)) return value(!is_and);
    const Outcome right = child(node, 1);
    if (right.is_error) return error();
    if (is_and ? is_false(right.value) : is_true(right.value)) return value(!is_and);
    if (left.value.is_null() || right.value.is_null()) return null();
    return value(is_and);
  }

  // Like `x == a or x == b`. If the list has a float, all comparisons are made as float.
  Outcome in(const Node& node) const {
    bool has_float = false;
    for (const NodeIndex index : tree_.children(node)) {
      has_float = has_float || tree_.node(index).type == Type::kFloat;
    }
    const auto fit = [&](Cell cell) {
      return has_float && is_int(cell) ? Cell(number(cell)) : cell;
    };
    const Outcome left = child(node, 0);
    if (left.is_error) return error();
    for (std::size_t i = 1; i < node.child_count; ++i) {
      const Outcome element = child(node, i);
      if (element.is_error) return error();
      if (compare_cells(Op::kEqual, fit(left.value), fit(element.value))) return value(true);
    }
    return value(false);
  }

  Outcome match(const Node& node) const {
    const Outcome operand = child(node, 0);
    if (operand.is_error) return error();
    if (operand.value.is_null()) return value(false);
    const auto regex =
        Regex::compile(tree_.text(node.text_index), tree_.text(node.flags_index), kRegexMemory);
    return value(regex.value().matches(text(operand.value)));
  }

  Outcome call(const Node& node) const {
    if (node.function == Function::kIf) return choice(node);
    if (node.function == Function::kCoalesce) return coalesce(node);
    const Operands in = operands(node);
    if (in.is_error) return error();
    if (node.function == Function::kContains || node.function == Function::kStartsWith) {
      if (in.is_null) return value(false);
      const std::string& whole = text(in.cells[0]);
      const std::string& part = text(in.cells[1]);
      return value(node.function == Function::kContains ? whole.find(part) != std::string::npos
                                                        : whole.substr(0, part.size()) == part);
    }
    if (node.function == Function::kNow) return value(now_ms_);
    if (in.is_null) return null();
    return node.type == Type::kInt ? int_call(node, in.cells) : other_call(node, in.cells);
  }

  Outcome fit(Outcome outcome, const Node& node) const {
    return node.type == Type::kFloat ? as_float(std::move(outcome)) : outcome;
  }

  Outcome choice(const Node& node) const {
    const Outcome condition = child(node, 0);
    if (condition.is_error) return error();
    return fit(child(node, is_true(condition.value) ? 1 : 2), node);
  }

  Outcome coalesce(const Node& node) const {
    for (std::size_t i = 0; i < node.child_count; ++i) {
      Outcome outcome = child(node, i);
      if (outcome.is_error) return error();
      if (!outcome.value.is_null()) return fit(std::move(outcome), node);
    }
    return null();
  }

  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31U);
  }

  static std::uint64_t hash_input(const Cell& cell) {
    if (is_int(cell)) return static_cast<std::uint64_t>(cell.as_int());
    if (std::holds_alternative<bool>(cell.value)) return is_true(cell) ? 1 : 0;
    if (std::holds_alternative<double>(cell.value)) {
      const double x = cell.as_float();
      if (std::isnan(x)) return 0x7FF8000000000000U;
      return x == 0 ? 0 : std::bit_cast<std::uint64_t>(x);
    }
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : text(cell)) {
      hash ^= static_cast<unsigned char>(c);
      hash *= 1099511628211U;
    }
    return hash;
  }

  static Outcome int_call(const Node& node, const std::vector<Cell>& in) {
    switch (node.function) {
      case Function::kHash:
        return value(static_cast<std::int64_t>(mixed(hash_input(in[0])) / 2));
      case Function::kLength: {
        std::int64_t length = 0;
        for (const char c : text(in[0])) length += (c & '\xC0') != '\x80' ? 1 : 0;
        return value(length);
      }
      case Function::kAbs: {
        const __int128 wide = in[0].as_int();
        return in_int_range(wide < 0 ? -wide : wide);
      }
      case Function::kMin:
      case Function::kMax: {
        std::int64_t best = in[0].as_int();
        for (const Cell& cell : in) {
          const std::int64_t x = cell.as_int();
          best = node.function == Function::kMin ? std::min(best, x) : std::max(best, x);
        }
        return value(best);
      }
      case Function::kClamp:
        return value(std::min(std::max(in[0].as_int(), in[1].as_int()), in[2].as_int()));
      default:
        return value(in[0]);  // floor, ceil and round of an int
    }
  }

  static double smaller(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
    return a < b ? a : b;
  }

  static double larger(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
    return a > b ? a : b;
  }

  static Outcome other_call(const Node& node, const std::vector<Cell>& in) {
    if (node.function == Function::kLower) {
      std::string lowered;
      for (const char c : text(in[0]))
        lowered += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      return value(lowered);
    }
    const double x = number(in[0]);
    switch (node.function) {
      case Function::kAbs:
        return value(std::fabs(x));
      case Function::kFloor:
        return value(std::floor(x));
      case Function::kCeil:
        return value(std::ceil(x));
      case Function::kRound:
        return value(std::round(x));
      case Function::kSqrt:
        return value(std::sqrt(x));
      case Function::kExp:
        return value(std::exp(x));
      case Function::kLog:
        return value(std::log(x));
      case Function::kPow:
        return value(std::pow(x, number(in[1])));
      case Function::kSigmoid:
        return value(1.0 / (1.0 + std::exp(-x)));
      case Function::kClamp:
        return value(smaller(larger(x, number(in[1])), number(in[2])));
      default:
        break;
    }
    double best = x;
    for (std::size_t i = 1; i < in.size(); ++i) {
      const double next = number(in[i]);
      best = node.function == Function::kMin ? smaller(best, next) : larger(best, next);
    }
    return value(best);
  }

  const Tree& tree_;
  const Lookup& lookup_;
  std::int64_t now_ms_;
};

}  // namespace

Outcome evaluate_row(const Tree& tree, const Lookup& lookup, std::int64_t now_ms) {
  return Walker(tree, lookup, now_ms).walk(tree.root_index());
}

Outcome as_float(Outcome outcome) {
  if (!outcome.is_error && is_int(outcome.value)) outcome.value = number(outcome.value);
  return outcome;
}

}  // namespace millrace::expr::oracle
