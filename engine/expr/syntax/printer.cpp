#include "expr/syntax/printer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "expr/syntax/function_table.h"
#include "expr/syntax/lexer.h"
#include "expr/syntax/tree.h"

namespace millrace::expr {

namespace {

// How tightly an operator binds; an operand that binds less than its place needs is parenthesised.
enum Binding : std::uint8_t {
  kDisjunction,
  kConjunction,
  kNegation,
  kComparison,
  kSum,
  kProduct,
  kUnary,
  kPrimary,
};

Binding binding_of(Op op) {
  switch (op) {
    case Op::kOr:
      return kDisjunction;
    case Op::kAnd:
      return kConjunction;
    case Op::kNot:
      return kNegation;
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
    case Op::kIn:
    case Op::kMatch:
    case Op::kIsNull:
      return kComparison;
    case Op::kAdd:
    case Op::kSubtract:
      return kSum;
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
      return kProduct;
    case Op::kNegate:
      return kUnary;
    default:
      return kPrimary;
  }
}

Binding tighter(Binding binding) { return static_cast<Binding>(binding + 1); }

std::string float_text(double number) {
  std::array<char, 32> buffer{};
  const std::to_chars_result end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  std::string text(buffer.data(), end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string string_text(std::string_view value) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20U || byte == 0x7FU) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string name_text(std::string_view name) {
  if (is_plain_name(name)) return std::string(name);
  return "`" + std::string(name) + "`";
}

// Escapes every slash that is not escaped; `\` and the character after it belong together.
std::string regex_text(std::string_view pattern, std::string_view flags) {
  std::string out = "/";
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '/') out += '\\';
    out += pattern[i];
    if (pattern[i] == '\\' && i + 1 < pattern.size()) out += pattern[++i];
  }
  return out + "/" + std::string(flags);
}

// Prints with an explicit stack, so that a long chain of operators cannot overflow the call stack.
class Printer {
 public:
  explicit Printer(const Tree& tree) : tree_(tree) {}

  std::string run() {
    push(tree_.root_index(), kDisjunction);
    while (!stack_.empty()) {
      const Piece piece = std::move(stack_.back());
      stack_.pop_back();
      if (const auto* text = std::get_if<std::string>(&piece)) {
        out_ += *text;
        continue;
      }
      const auto& [index, needed] = std::get<Place>(piece);
      print(tree_.node(index), needed);
    }
    return std::move(out_);
  }

 private:
  struct Place {
    NodeIndex index;
    Binding needed;
  };
  using Piece = std::variant<std::string, Place>;

  // Pieces are printed in the reverse order of pushing.
  void push(std::string text) { stack_.emplace_back(std::move(text)); }
  void push(NodeIndex index, Binding needed) { stack_.emplace_back(Place{index, needed}); }

  NodeIndex child(const Node& node, std::size_t index) const { return tree_.children(node)[index]; }

  void print(const Node& node, Binding needed) {
    const bool is_negated_test = node.op == Op::kNot && is_test(tree_.node(child(node, 0)).op);
    Binding binding = is_negated_test ? kComparison : binding_of(node.op);
    if (node.op == Op::kInt && node.integer < 0) binding = kUnary;
    if (node.op == Op::kFloat && std::signbit(node.number)) binding = kUnary;
    if (binding < needed) {
      out_ += '(';
      push(")");
    }
    if (is_negated_test) return print_test(tree_.node(child(node, 0)), true);
    print_bare(node, binding);
  }

  static bool is_test(Op op) { return op == Op::kIn || op == Op::kIsNull; }

  void print_bare(const Node& node, Binding binding) {
    switch (node.op) {
      case Op::kNull:
        out_ += "null";
        return;
      case Op::kBool:
        out_ += node.boolean ? "true" : "false";
        return;
      case Op::kInt:
        out_ += std::to_string(node.integer);
        return;
      case Op::kFloat:
        out_ += float_text(node.number);
        return;
      case Op::kString:
        out_ += string_text(tree_.text(node.text_index));
        return;
      case Op::kKey:
        out_ += key_text(tree_.text(node.text_index));
        return;
      case Op::kParam:
        out_ += "$" + tree_.text(node.text_index);
        return;
      case Op::kRequest:
        out_ += "$req." + tree_.text(node.text_index);
        return;
      case Op::kViewer:
        out_ += "viewer." + name_text(tree_.text(node.text_index));
        return;
      case Op::kNot:
        out_ += "not ";
        return push(child(node, 0), kNegation);
      case Op::kNegate:
        return print_negate(node);
      case Op::kIn:
      case Op::kIsNull:
        return print_test(node, false);
      case Op::kMatch:
        push(" ~ " + regex_text(tree_.text(node.text_index), tree_.text(node.flags_index)));
        return push(child(node, 0), kSum);
      case Op::kCall:
        return print_call(node);
      default:
        return print_binary(node, binding);
    }
  }

  // A bare `now` would be read as the function.
  static std::string key_text(const std::string& name) {
    return name == spec_of(Function::kNow).name ? "`" + name + "`" : name_text(name);
  }

  void print_negate(const Node& node) {
    const Node& operand = tree_.node(child(node, 0));
    out_ += '-';
    // Without parentheses the minus would become part of the literal.
    if (operand.op != Op::kInt && operand.op != Op::kFloat) return push(child(node, 0), kPrimary);
    out_ += '(';
    push(")");
    push(child(node, 0), kDisjunction);
  }

  void print_binary(const Node& node, Binding binding) {
    const bool chains = binding != kComparison;
    push(child(node, 1), tighter(binding));
    push(" " + std::string(symbol(node.op)) + " ");
    push(child(node, 0), chains ? binding : tighter(binding));
  }

  void print_test(const Node& node, bool negated) {
    if (node.op == Op::kIsNull) {
      push(negated ? " is not null" : " is null");
    } else {
      push("]");
      push_list(tree_.children(node).subspan(1));
      push(negated ? " not in [" : " in [");
    }
    push(child(node, 0), kSum);
  }

  void print_call(const Node& node) {
    out_ += tree_.text(node.text_index) + "(";
    push(")");
    push_list(tree_.children(node));
  }

  void push_list(std::span<const NodeIndex> elements) {
    for (std::size_t i = elements.size(); i-- > 0;) {
      push(elements[i], kDisjunction);
      if (i > 0) push(", ");
    }
  }

  const Tree& tree_;
  std::vector<Piece> stack_;
  std::string out_;
};

}  // namespace

std::string to_text(const Tree& tree) { return Printer(tree).run(); }

}  // namespace millrace::expr
