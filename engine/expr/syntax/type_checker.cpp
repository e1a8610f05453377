#include "expr/syntax/type_checker.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "expr/syntax/function_table.h"
#include "rows/column.h"

namespace millrace::expr {

namespace {

// Suggesting a name compares it with every registered one; this bound keeps bad input from making
// that slow.
constexpr std::size_t kErrorsMax = 50;
constexpr std::size_t kWarningsMax = 10;

struct SourceText {
  NameSource source;
  std::string_view what;
  std::string_view prefix;
};

constexpr std::array<SourceText, kNameSourceCount> kSources{{
    {NameSource::kKey, "key", ""},
    {NameSource::kParam, "param", "$"},
    {NameSource::kRequest, "request field", "$req."},
    {NameSource::kViewer, "viewer field", "viewer."},
}};

bool is_number(Type type) { return type == Type::kInt || type == Type::kFloat; }
bool is_number_or_null(Type type) { return is_number(type) || type == Type::kNull; }

// The type to which both convert; nothing if there is none.
std::optional<Type> find_common(Type left, Type right) {
  if (left == right || right == Type::kNull) return left;
  if (left == Type::kNull) return right;
  if (is_number(left) && is_number(right)) return Type::kFloat;
  return std::nullopt;
}

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

class Checker {
 public:
  Checker(Tree& tree, const Scope& scope, std::vector<Diagnostic>& diagnostics)
      : tree_(tree), scope_(scope), diagnostics_(diagnostics) {}

  void run() {
    for (Node& node : tree_.nodes()) {
      node.type = Type::kInvalid;
      if (std::ranges::any_of(tree_.children(node), [&](NodeIndex child) {
            return tree_.node(child).type == Type::kInvalid;
          })) {
        continue;  // reported already
      }
      check(node);
    }
  }

  void check_root(std::optional<rows::ColumnType> expected) {
    Node& root = tree_.nodes().back();
    if (root.type == Type::kInvalid) return;
    if (!expected) {
      if (root.type != Type::kNull) return;
      return error(root, "The expression is always null, so it has no type");
    }
    const Type wanted = to_type(*expected);
    if (find_common(root.type, wanted) == wanted) return;
    error(root,
          "The expression is " + std::string(to_string(root.type)) + ", but " +
              std::string(to_string(wanted)) + " is needed",
          wanted == Type::kBool ? "a condition compares something, as `x > 0`" : "");
  }

  std::vector<NameUse> take_names() { return std::move(names_); }

 private:
  void error(Node& node, std::string message, std::string hint = {}) {
    node.type = Type::kInvalid;
    if (error_count_ == kErrorsMax) return;
    ++error_count_;
    diagnostics_.push_back({Severity::kError, node.span, std::move(message), std::move(hint)});
  }

  void warn(const Node& node, std::string message, std::string hint) {
    if (warning_count_ == kWarningsMax) return;
    ++warning_count_;
    diagnostics_.push_back({Severity::kWarning, node.span, std::move(message), std::move(hint)});
  }

  const Node& child(const Node& node, std::size_t index) const {
    return tree_.node(tree_.children(node)[index]);
  }

  bool any_nullable(const Node& node) const {
    return std::ranges::any_of(tree_.children(node),
                               [&](NodeIndex child) { return tree_.node(child).nullable; });
  }

  void set(Node& node, Type type, bool nullable) {
    node.type = type;
    node.nullable = nullable;
  }

  void check(Node& node) {
    switch (node.op) {
      case Op::kNull:
        return set(node, Type::kNull, true);
      case Op::kBool:
        return set(node, Type::kBool, false);
      case Op::kInt:
        return set(node, Type::kInt, false);
      case Op::kFloat:
        return set(node, Type::kFloat, false);
      case Op::kString:
        return set(node, Type::kString, false);
      case Op::kKey:
        return check_name(node, NameSource::kKey);
      case Op::kParam:
        return check_name(node, NameSource::kParam);
      case Op::kRequest:
        return check_name(node, NameSource::kRequest);
      case Op::kViewer:
        return check_name(node, NameSource::kViewer);
      case Op::kNegate:
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kDivide:
      case Op::kModulo:
        return check_arithmetic(node);
      case Op::kEqual:
      case Op::kNotEqual:
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual:
        return check_comparison(node);
      case Op::kNot:
      case Op::kAnd:
      case Op::kOr:
        return check_logic(node);
      case Op::kIn:
        return check_in(node);
      case Op::kMatch:
        return check_match(node);
      case Op::kIsNull:
        return set(node, Type::kBool, false);
      case Op::kCall:
        return check_call(node);
    }
  }

  void check_name(Node& node, NameSource source) {
    const std::string& name = tree_.text(node.text_index);
    const auto [at, is_new] = name_indices_.try_emplace({source, name}, names_.size());
    if (is_new) {
      const std::optional<NameInfo> info = scope_.find_name(source, name);
      if (!info) {
        name_indices_.erase(at);
        return report_unknown_name(node, source);
      }
      names_.push_back({source, name, *info});
    }
    const NameInfo& info = names_[at->second].info;
    node.name_index = static_cast<std::uint32_t>(at->second);
    set(node, to_type(info.type), info.nullable);
  }

  void report_unknown_name(Node& node, NameSource source) {
    const SourceText& text = kSources[static_cast<std::size_t>(source)];
    const std::string& name = tree_.text(node.text_index);
    node.type = Type::kInvalid;
    if (error_count_ == kErrorsMax || !unknown_.insert({source, name}).second) return;
    error(node,
          "Unknown " + std::string(text.what) + ": " + quoted(std::string(text.prefix) + name),
          suggest_name(source, name));
  }

  std::string suggest_name(NameSource source, std::string_view name) const {
    for (const SourceText& other : kSources) {
      if (other.source == source || !scope_.find_name(other.source, name)) continue;
      return "did you mean " + quoted(std::string(other.prefix) + std::string(name)) + "?";
    }
    if (const FunctionSpec* spec = find_function(name); spec && source == NameSource::kKey) {
      return quoted(name) + " is a function: " + quoted(spec->usage);
    }
    const std::vector<std::string_view> known = scope_.names(source);
    const std::optional<std::string_view> nearest = base::find_nearest(name, known);
    if (!nearest) return {};
    const SourceText& text = kSources[static_cast<std::size_t>(source)];
    return "did you mean " + quoted(std::string(text.prefix) + std::string(*nearest)) + "?";
  }

  void check_arithmetic(Node& node) {
    Type type = Type::kInt;
    for (const NodeIndex index : tree_.children(node)) {
      const Type operand = tree_.node(index).type;
      if (!is_number_or_null(operand)) {
        return error(node,
                     "Operator " + quoted(symbol(node.op)) + " needs numbers, not " +
                         std::string(to_string(operand)),
                     operand == Type::kBool ? "turn a bool into a number by `if(b, 1, 0)`" : "");
      }
      if (operand == Type::kFloat) type = Type::kFloat;
    }
    if (node.op == Op::kDivide) type = Type::kFloat;
    const bool may_divide_by_zero = node.op == Op::kDivide || node.op == Op::kModulo;
    set(node, type, may_divide_by_zero || any_nullable(node));
  }

  void check_comparison(Node& node) {
    const Type left = child(node, 0).type;
    const Type right = child(node, 1).type;
    const std::optional<Type> common = find_common(left, right);
    if (!common) return report_incomparable(node, left, right);
    const bool is_equality = node.op == Op::kEqual || node.op == Op::kNotEqual;
    if (common == Type::kBool && !is_equality) {
      return error(node, "Bools have no order", "compare them by `==` or `!=`");
    }
    if (left == Type::kNull || right == Type::kNull) {
      warn(node, "A comparison with null is always false", "write `x is null` or `x is not null`");
    }
    set(node, Type::kBool, false);
  }

  void report_incomparable(Node& node, Type left, Type right) {
    error(node,
          "Operator " + quoted(symbol(node.op)) + " cannot compare " +
              std::string(to_string(left)) + " with " + std::string(to_string(right)));
  }

  void check_logic(Node& node) {
    for (const NodeIndex index : tree_.children(node)) {
      const Type operand = tree_.node(index).type;
      if (operand == Type::kBool || operand == Type::kNull) continue;
      return error(node,
                   "Operator " + quoted(symbol(node.op)) + " needs bools, not " +
                       std::string(to_string(operand)),
                   is_number(operand) ? "compare the number, as `x != 0`" : "");
    }
    set(node, Type::kBool, any_nullable(node));
  }

  void check_in(Node& node) {
    const std::span<const NodeIndex> children = tree_.children(node);
    const Type left = tree_.node(children.front()).type;
    Type common = left;
    for (const NodeIndex index : children.subspan(1)) {
      const Type element = tree_.node(index).type;
      const std::optional<Type> next = find_common(common, element);
      if (!next) return report_incomparable(node, common, element);
      common = *next;
    }
    set(node, Type::kBool, false);
  }

  void check_match(Node& node) {
    const Type operand = child(node, 0).type;
    if (operand != Type::kString && operand != Type::kNull) {
      return error(node, "Operator `~` needs a string, not " + std::string(to_string(operand)));
    }
    set(node, Type::kBool, false);
  }

  void check_call(Node& node) {
    if (node.function == Function::kUnknown) return report_unknown_function(node);
    const FunctionSpec& spec = spec_of(node.function);
    if (node.child_count < spec.argument_count_min || node.child_count > spec.argument_count_max) {
      return error(node,
                   "Wrong number of arguments for " + quoted(spec.name) + ": " +
                       std::to_string(node.child_count),
                   "write " + quoted(spec.usage));
    }
    switch (spec.signature) {
      case Signature::kSameNumber:
      case Signature::kCommonNumber:
        return check_numbers(node, spec, false);
      case Signature::kFloats:
        return check_numbers(node, spec, true);
      case Signature::kCommon:
        return check_common(node, spec, tree_.children(node));
      case Signature::kChoice:
        return check_choice(node, spec);
      case Signature::kStringToInt:
        return check_strings(node, spec, Type::kInt);
      case Signature::kStringToString:
        return check_strings(node, spec, Type::kString);
      case Signature::kStringPredicate:
        return check_strings(node, spec, Type::kBool);
      case Signature::kAnyToInt:
        return set(node, Type::kInt, any_nullable(node));
      case Signature::kNoneToInt:
        return set(node, Type::kInt, false);
    }
  }

  void report_unknown_function(Node& node) {
    const std::string& name = tree_.text(node.text_index);
    if (error_count_ == kErrorsMax) return;
    std::vector<std::string_view> known;
    for (const FunctionSpec& spec : functions()) known.push_back(spec.name);
    const std::optional<std::string_view> nearest = base::find_nearest(name, known);
    error(node,
          "Unknown function: " + quoted(name),
          nearest ? "did you mean " + quoted(find_function(*nearest)->usage) + "?" : "");
  }

  void error_argument(Node& node, const FunctionSpec& spec, std::string_view wanted, Type found) {
    error(node,
          "Function " + quoted(spec.name) + " needs " + std::string(wanted) + ", not " +
              std::string(to_string(found)),
          "write " + quoted(spec.usage));
  }

  void check_numbers(Node& node, const FunctionSpec& spec, bool is_float) {
    Type type = is_float ? Type::kFloat : Type::kInt;
    for (const NodeIndex index : tree_.children(node)) {
      const Type operand = tree_.node(index).type;
      if (!is_number_or_null(operand)) return error_argument(node, spec, "numbers", operand);
      if (operand == Type::kFloat) type = Type::kFloat;
    }
    set(node, type, any_nullable(node));
  }

  void check_strings(Node& node, const FunctionSpec& spec, Type result) {
    for (const NodeIndex index : tree_.children(node)) {
      const Type operand = tree_.node(index).type;
      if (operand != Type::kString && operand != Type::kNull) {
        return error_argument(node, spec, "strings", operand);
      }
    }
    set(node, result, result != Type::kBool && any_nullable(node));
  }

  void check_common(Node& node, const FunctionSpec& spec, std::span<const NodeIndex> values) {
    Type common = Type::kNull;
    bool all_nullable = true;
    bool some_nullable = false;
    for (const NodeIndex index : values) {
      const Node& value = tree_.node(index);
      const std::optional<Type> next = find_common(common, value.type);
      if (!next) {
        return error(node,
                     "Function " + quoted(spec.name) +
                         " needs values of one type: " + std::string(to_string(common)) + " and " +
                         std::string(to_string(value.type)));
      }
      common = *next;
      all_nullable = all_nullable && value.nullable;
      some_nullable = some_nullable || value.nullable;
    }
    if (common == Type::kNull) {
      return error(node, "Function " + quoted(spec.name) + " is always null here");
    }
    set(node, common, node.function == Function::kCoalesce ? all_nullable : some_nullable);
  }

  void check_choice(Node& node, const FunctionSpec& spec) {
    const Type condition = child(node, 0).type;
    if (condition != Type::kBool && condition != Type::kNull) {
      return error_argument(node, spec, "a bool condition", condition);
    }
    check_common(node, spec, tree_.children(node).subspan(1));
  }

  Tree& tree_;
  const Scope& scope_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<NameUse> names_;
  std::map<std::pair<NameSource, std::string>, std::size_t> name_indices_;
  std::set<std::pair<NameSource, std::string>> unknown_;  // reported already
  std::size_t error_count_ = 0;
  std::size_t warning_count_ = 0;
};

}  // namespace

std::vector<NameUse> check_types(Tree& tree,
                                 const Scope& scope,
                                 std::optional<rows::ColumnType> expected,
                                 std::vector<Diagnostic>& diagnostics) {
  Checker checker(tree, scope, diagnostics);
  checker.run();
  checker.check_root(expected);
  return checker.take_names();
}

}  // namespace millrace::expr
