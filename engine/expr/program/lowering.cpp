#include "expr/program/lowering.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "expr/program/instruction_builder.h"
#include "expr/program/regex.h"
#include "expr/program/schedule.h"
#include "expr/syntax/function_table.h"
#include "rows/column.h"

namespace millrace::expr {

namespace {

using rows::ColumnType;

Opcode opcode_of(Op op) {
  switch (op) {
    case Op::kParam:
      return Opcode::kParam;
    case Op::kRequest:
      return Opcode::kRequest;
    case Op::kViewer:
      return Opcode::kViewer;
    case Op::kNegate:
      return Opcode::kNegate;
    case Op::kAdd:
      return Opcode::kAdd;
    case Op::kSubtract:
      return Opcode::kSubtract;
    case Op::kMultiply:
      return Opcode::kMultiply;
    case Op::kDivide:
      return Opcode::kDivide;
    case Op::kModulo:
      return Opcode::kModulo;
    case Op::kEqual:
      return Opcode::kEqual;
    case Op::kNotEqual:
      return Opcode::kNotEqual;
    case Op::kLess:
      return Opcode::kLess;
    case Op::kLessEqual:
      return Opcode::kLessEqual;
    case Op::kGreater:
      return Opcode::kGreater;
    case Op::kGreaterEqual:
      return Opcode::kGreaterEqual;
    case Op::kNot:
      return Opcode::kNot;
    case Op::kAnd:
      return Opcode::kAnd;
    case Op::kOr:
      return Opcode::kOr;
    default:
      break;
  }
  MR_CHECK(false, static_cast<int>(op));
  return Opcode::kConstant;
}

Opcode opcode_of(Function function) {
  switch (function) {
    case Function::kMin:
      return Opcode::kMin;
    case Function::kMax:
      return Opcode::kMax;
    case Function::kAbs:
      return Opcode::kAbs;
    case Function::kFloor:
      return Opcode::kFloor;
    case Function::kCeil:
      return Opcode::kCeil;
    case Function::kRound:
      return Opcode::kRound;
    case Function::kSqrt:
      return Opcode::kSqrt;
    case Function::kExp:
      return Opcode::kExp;
    case Function::kLog:
      return Opcode::kLog;
    case Function::kPow:
      return Opcode::kPow;
    case Function::kSigmoid:
      return Opcode::kSigmoid;
    case Function::kLength:
      return Opcode::kLength;
    case Function::kLower:
      return Opcode::kLower;
    case Function::kContains:
      return Opcode::kContains;
    case Function::kStartsWith:
      return Opcode::kStartsWith;
    case Function::kHash:
      return Opcode::kHash;
    default:
      break;
  }
  MR_CHECK(false, static_cast<int>(function));
  return Opcode::kConstant;
}

class Lowering {
 public:
  Lowering(const Tree& tree, const Limits& limits, std::vector<Diagnostic>& diagnostics)
      : tree_(tree),
        limits_(limits),
        diagnostics_(diagnostics),
        builder_(program_),
        values_(tree.nodes().size()) {}

  std::optional<Program> run(ColumnType type) {
    for (NodeIndex index = 0; index <= tree_.root_index(); ++index) {
      values_[index] = lower_node(tree_.node(index));
    }
    if (failed_) return std::nullopt;
    const ValueId root = as(tree_.root_index(), to_type(type));
    program_.type = type;
    schedule(builder_.instructions(), root, program_);
    if (program_.register_count > limits_.live_count_max) {
      report(tree_.root(),
             "The expression keeps too many values at once: at most " +
                 std::to_string(limits_.live_count_max));
      return std::nullopt;
    }
    return std::move(program_);
  }

 private:
  void report(const Node& node, std::string message) {
    failed_ = true;
    diagnostics_.push_back({Severity::kError, node.span, std::move(message), {}});
  }

  NodeIndex child(const Node& node, std::size_t index) const { return tree_.children(node)[index]; }

  // The value of a node converted to another type: null can have any type, an int becomes a float.
  ValueId as(NodeIndex index, Type type) {
    const Node& node = tree_.node(index);
    if (node.type == Type::kNull) return builder_.null_of(to_column_type(type));
    if (node.type == Type::kInt && type == Type::kFloat) {
      return builder_.apply(
          Opcode::kToFloat, ColumnType::kFloat64, {values_[index]}, node.span.offset);
    }
    return values_[index];
  }

  ValueId unary(Opcode opcode, Type operand, const Node& node) {
    return builder_.apply(
        opcode, to_column_type(node.type), {as(child(node, 0), operand)}, node.span.offset);
  }

  ValueId binary(Opcode opcode, Type operand, const Node& node) {
    return builder_.apply(opcode,
                          to_column_type(node.type),
                          {as(child(node, 0), operand), as(child(node, 1), operand)},
                          node.span.offset);
  }

  ValueId lower_node(const Node& node) {
    switch (node.op) {
      case Op::kNull:
        return kNoValue;  // its type is known only where it is used
      case Op::kBool:
        return builder_.boolean(node.boolean);
      case Op::kInt:
        return builder_.integer(node.integer);
      case Op::kFloat:
        return builder_.number(node.number);
      case Op::kString:
        return builder_.text(tree_.text(node.text_index));
      case Op::kKey:
        return builder_.source(Opcode::kLoad, to_column_type(node.type), node.name_index);
      case Op::kParam:
      case Op::kRequest:
      case Op::kViewer:
        return builder_.source(opcode_of(node.op), to_column_type(node.type), node.name_index);
      case Op::kNegate:
        return unary(Opcode::kNegate, node.type, node);
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kDivide:
      case Op::kModulo:
        return binary(opcode_of(node.op), node.type, node);
      case Op::kEqual:
      case Op::kNotEqual:
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual:
        return binary(opcode_of(node.op), common_type(tree_.children(node)), node);
      case Op::kNot:
        return unary(Opcode::kNot, Type::kBool, node);
      case Op::kAnd:
      case Op::kOr:
        return logic(opcode_of(node.op),
                     as(child(node, 0), Type::kBool),
                     as(child(node, 1), Type::kBool),
                     node);
      case Op::kIn:
        return lower_in(node);
      case Op::kMatch:
        return lower_match(node);
      case Op::kIsNull:
        return unary(Opcode::kIsNull, common_type(tree_.children(node)), node);
      case Op::kCall:
        return lower_call(node);
    }
    return kNoValue;
  }

  // The type that all of the nodes convert to; int when all are null.
  Type common_type(std::span<const NodeIndex> nodes) const {
    Type common = Type::kNull;
    for (const NodeIndex index : nodes) {
      const Type type = tree_.node(index).type;
      if (common == Type::kNull || type == Type::kFloat) common = type;
    }
    return common == Type::kNull ? Type::kInt : common;
  }

  ValueId logic(Opcode opcode, ValueId left, ValueId right, const Node& node) {
    if (builder_.is_bound(left) != builder_.is_bound(right)) {
      ValueId& bound = builder_.is_bound(left) ? left : right;
      bound = builder_.prepare(Opcode::kSplat, bound);
    }
    return builder_.apply(opcode, ColumnType::kBool, {left, right}, node.span.offset);
  }

  // `x in [a, b]` is `x == a or x == b`; neighbouring literals make one set.
  ValueId lower_in(const Node& node) {
    const std::span<const NodeIndex> children = tree_.children(node);
    const Type common = common_type(children);
    const ValueId left = as(children.front(), common);
    ValueId result = kNoValue;
    const auto join = [&](ValueId test) {
      result = result == kNoValue ? test : logic(Opcode::kOr, result, test, node);
    };
    std::vector<NodeIndex> literals;
    const auto flush = [&] {
      if (!literals.empty() || children.size() == 1) join(in_set(left, literals, common, node));
      literals.clear();
    };
    for (const NodeIndex element : children.subspan(1)) {
      if (common != Type::kBool && is_literal(tree_.node(element).op)) {
        literals.push_back(element);
        continue;
      }
      flush();
      join(builder_.apply(
          Opcode::kEqual, ColumnType::kBool, {left, as(element, common)}, node.span.offset));
    }
    flush();
    return result;
  }

  static bool is_literal(Op op) {
    return op == Op::kNull || op == Op::kInt || op == Op::kFloat || op == Op::kString;
  }

  ValueId in_set(ValueId left, std::span<const NodeIndex> literals, Type type, const Node& node) {
    std::vector<std::int64_t> ints;
    std::vector<double> floats;
    std::vector<std::string> strings;
    for (const NodeIndex index : literals) {
      const Node& literal = tree_.node(index);
      if (literal.op == Op::kInt) {
        ints.push_back(literal.integer);
        floats.push_back(static_cast<double>(literal.integer));
      }
      if (literal.op == Op::kFloat) floats.push_back(literal.number);
      if (literal.op == Op::kString) strings.push_back(tree_.text(literal.text_index));
    }
    std::uint32_t set = 0;
    if (type == Type::kInt) set = builder_.add_set(std::move(ints));
    if (type == Type::kFloat) set = builder_.add_set(std::move(floats));
    if (type == Type::kString) set = builder_.add_set(std::move(strings));
    return builder_.apply(Opcode::kInSet, ColumnType::kBool, {left}, node.span.offset, set);
  }

  ValueId lower_match(const Node& node) {
    const std::string& pattern = tree_.text(node.text_index);
    const std::string& flags = tree_.text(node.flags_index);
    const auto next = static_cast<std::uint32_t>(program_.regexes.size());
    const auto [at, is_new] = regex_indices_.try_emplace({pattern, flags}, next);
    if (is_new && !add_regex(pattern, flags, node)) regex_indices_.erase(at);
    if (failed_) return builder_.boolean(false);  // any value: the program is given up
    return builder_.apply(Opcode::kMatch,
                          ColumnType::kBool,
                          {as(child(node, 0), Type::kString)},
                          node.span.offset,
                          at->second);
  }

  bool add_regex(const std::string& pattern, const std::string& flags, const Node& node) {
    if (program_.regexes.size() >= limits_.regex_count_max) {
      if (!failed_) {
        report(node,
               "The expression has too many regexes: at most " +
                   std::to_string(limits_.regex_count_max));
      }
      return false;
    }
    std::expected<Regex, std::string> regex =
        Regex::compile(pattern, flags, limits_.regex_memory_bytes_max);
    if (!regex) {
      report(node, regex.error());
      return false;
    }
    program_.regexes.push_back(*std::move(regex));
    return true;
  }

  ValueId lower_call(const Node& node) {
    switch (node.function) {
      case Function::kCoalesce:
        return lower_coalesce(node);
      case Function::kIf:
        return lower_if(node);
      case Function::kMin:
      case Function::kMax:
        return lower_extremum(opcode_of(node.function), node);
      case Function::kClamp: {
        const ValueId at_least = binary(Opcode::kMax, node.type, node);
        return builder_.apply(Opcode::kMin,
                              to_column_type(node.type),
                              {at_least, as(child(node, 2), node.type)},
                              node.span.offset);
      }
      case Function::kFloor:
      case Function::kCeil:
      case Function::kRound:
        if (node.type == Type::kInt) return as(child(node, 0), Type::kInt);
        return unary(opcode_of(node.function), node.type, node);
      case Function::kAbs:
      case Function::kSqrt:
      case Function::kExp:
      case Function::kLog:
      case Function::kSigmoid:
        return unary(opcode_of(node.function), node.type, node);
      case Function::kPow:
        return binary(Opcode::kPow, Type::kFloat, node);
      case Function::kLength:
      case Function::kLower:
        return unary(opcode_of(node.function), Type::kString, node);
      case Function::kContains:
      case Function::kStartsWith:
        return binary(opcode_of(node.function), Type::kString, node);
      case Function::kHash:
        return unary(Opcode::kHash, common_type(tree_.children(node)), node);
      case Function::kNow:
        return builder_.source(Opcode::kNow, ColumnType::kInt64, 0);
      case Function::kUnknown:
        break;
    }
    return kNoValue;
  }

  // Joins the arguments two by two, from the left.
  ValueId lower_extremum(Opcode opcode, const Node& node) {
    const std::span<const NodeIndex> arguments = tree_.children(node);
    ValueId result = as(arguments.front(), node.type);
    for (const NodeIndex argument : arguments.subspan(1)) {
      result = builder_.apply(
          opcode, to_column_type(node.type), {result, as(argument, node.type)}, node.span.offset);
    }
    return result;
  }

  ValueId lower_coalesce(const Node& node) {
    const std::span<const NodeIndex> arguments = tree_.children(node);
    ValueId result = as(arguments.front(), node.type);
    for (const NodeIndex argument : arguments.subspan(1)) {
      ValueId next = as(argument, node.type);
      // The strings of two columns can be chosen between only if their codes belong to one
      // dictionary.
      if (!builder_.is_bound(result) || !builder_.is_bound(next)) {
        result = builder_.intern(result);
        next = builder_.intern(next);
      }
      result = builder_.apply(
          Opcode::kCoalesce, to_column_type(node.type), {result, next}, node.span.offset);
    }
    return result;
  }

  ValueId lower_if(const Node& node) {
    const ValueId condition = as(child(node, 0), Type::kBool);
    ValueId yes = as(child(node, 1), node.type);
    ValueId no = as(child(node, 2), node.type);
    if (!builder_.is_bound(condition) || !builder_.is_bound(yes) || !builder_.is_bound(no)) {
      yes = builder_.intern(yes);
      no = builder_.intern(no);
    }
    return builder_.apply(
        Opcode::kIf, to_column_type(node.type), {condition, yes, no}, node.span.offset);
  }

  const Tree& tree_;
  const Limits& limits_;
  std::vector<Diagnostic>& diagnostics_;
  Program program_;
  InstructionBuilder builder_;
  std::vector<ValueId> values_;  // by node index
  std::map<std::pair<std::string, std::string>, std::uint32_t> regex_indices_;
  bool failed_ = false;
};

}  // namespace

std::optional<Program> lower(const Tree& tree,
                             ColumnType type,
                             const Limits& limits,
                             std::vector<Diagnostic>& diagnostics) {
  return Lowering(tree, limits, diagnostics).run(type);
}

}  // namespace millrace::expr
