#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "rows/column.h"

namespace millrace::expr::oracle {

/// Writes random expressions of a given type, as text, over the keys of rows::testing::random_table
/// and the names of `random_scope`. Literals are often on the edges of their types.
class ExpressionGenerator {
 public:
  explicit ExpressionGenerator(base::Random& random) : random_(random) {}

  [[nodiscard]] std::string make(rows::ColumnType type, std::size_t depth) {
    if (depth == 0 || random_.chance(0.1)) return leaf(type);
    // Reusing an earlier expression makes common subexpressions.
    std::vector<std::string>& made = made_[static_cast<std::size_t>(type)];
    if (!made.empty() && random_.chance(0.15)) return made[random_.below(made.size())];
    std::string text = "(" + compound(type, depth - 1) + ")";
    made.push_back(text);
    return text;
  }

 private:
  using Type = rows::ColumnType;

  std::string pick(std::initializer_list<std::string_view> choices) {
    return std::string(choices.begin()[random_.below(choices.size())]);
  }

  std::string leaf(Type type) {
    if (random_.chance(0.05)) return typed_null(type);
    switch (type) {
      case Type::kInt64:
        return pick({"i",
                     "id",
                     "i",
                     "id",
                     "0",
                     "1",
                     "-1",
                     "7",
                     "-3",
                     "9223372036854775807",
                     "-9223372036854775808",
                     "$pi",
                     "$req.ri",
                     "viewer.vi",
                     "now()",
                     "4611686018427387904"});
      case Type::kFloat64:
        return pick({"f",
                     "f",
                     "f",
                     "0.0",
                     "-0.0",
                     "1.5",
                     "-2.5",
                     "1e308",
                     "5e-324",
                     "0.25",
                     "$pf",
                     "$req.rf",
                     "viewer.vf"});
      case Type::kBool:
        return pick({"b", "b", "true", "false", "$pb", "$req.rb", "viewer.vb"});
      case Type::kString:
        return pick({"s",
                     "g",
                     "s",
                     "g",
                     "\"\"",
                     "\"a\"",
                     "\"aa7\"",
                     "'Wor'",
                     "$ps",
                     "$req.rs",
                     "viewer.vs"});
    }
    return "null";
  }

  // A null that has this type in every context.
  std::string typed_null(Type type) {
    switch (type) {
      case Type::kInt64:
        return "(1 % 0)";
      case Type::kFloat64:
        return "(1 / 0)";
      case Type::kBool:
        return "(null and true)";
      case Type::kString:
        return "if(true, null, \"\")";
    }
    return "null";
  }

  std::string number(std::size_t depth) {
    return make(random_.chance(0.5) ? Type::kInt64 : Type::kFloat64, depth);
  }

  std::string call(std::string_view name, std::initializer_list<std::string> arguments) {
    std::string text = std::string(name) + "(";
    for (const std::string& argument : arguments) {
      if (&argument != arguments.begin()) text += ", ";
      text += argument;
    }
    return text + ")";
  }

  std::string compound(Type type, std::size_t depth) {
    const std::uint64_t choice = random_.below(10);
    if (choice == 0) {
      return call("if", {make(Type::kBool, depth), make(type, depth), make(type, depth)});
    }
    if (choice == 1) {
      return call("coalesce", {make(type, depth), make(type, depth), leaf(type)});
    }
    switch (type) {
      case Type::kInt64:
        return int_compound(depth);
      case Type::kFloat64:
        return float_compound(depth);
      case Type::kBool:
        return bool_compound(depth);
      case Type::kString:
        return call("lower", {make(Type::kString, depth)});
    }
    return "null";
  }

  std::string int_compound(std::size_t depth) {
    const auto any = [&] { return make(Type::kInt64, depth); };
    switch (random_.below(8)) {
      case 0:
        return call(pick({"min", "max"}), {any(), any(), any()});
      case 1:
        return call("clamp", {any(), any(), any()});
      case 2:
        return call(pick({"abs", "floor", "ceil", "round"}), {any()});
      case 3:
        return call("length", {make(Type::kString, depth)});
      case 4:
        return call("hash", {make(static_cast<Type>(random_.below(4)), depth)});
      case 5:
        return "-" + any();
      default:
        return any() + pick({" + ", " - ", " * ", " % "}) + any();
    }
  }

  std::string float_compound(std::size_t depth) {
    const auto any = [&] { return make(Type::kFloat64, depth); };
    switch (random_.below(8)) {
      case 0:
        return call(pick({"min", "max"}), {any(), number(depth), number(depth)});
      case 1:
        return call("clamp", {any(), number(depth), number(depth)});
      case 2:
        return call(pick({"abs", "floor", "ceil", "round"}), {any()});
      case 3:
        return call(pick({"sqrt", "exp", "log", "sigmoid"}), {number(depth)});
      case 4:
        return call("pow", {number(depth), number(depth)});
      case 5:
        return "-" + any();
      case 6:
        return number(depth) + " / " + number(depth);
      default:
        return any() + pick({" + ", " - ", " * ", " % "}) + number(depth);
    }
  }

  std::string bool_compound(std::size_t depth) {
    const auto any = [&] { return make(Type::kBool, depth); };
    const auto text = [&] { return make(Type::kString, depth); };
    const std::string order = pick({" == ", " != ", " < ", " <= ", " > ", " >= "});
    switch (random_.below(11)) {
      case 0:
        return "not " + any();
      case 1:
        return make(static_cast<Type>(random_.below(4)), depth) +
               pick({" is null", " is not null"});
      case 2:
        return text() + pick({" ~ /a/", " ~ /^[0-9]+$/", " ~ /WOR/i", " ~ /(aa|7)$/"});
      case 3:
        return call(pick({"contains", "starts_with"}), {text(), text()});
      case 4:
        return text() + order + text();
      case 5:
        return any() + pick({" == ", " != "}) + any();
      case 6:
        return in_list(depth);
      case 7:
        return number(depth) + order + number(depth);
      default:
        return any() + pick({" and ", " or "}) + any();
    }
  }

  std::string in_list(std::size_t depth) {
    const Type type = static_cast<Type>(random_.below(4));
    const bool mixed = type == Type::kFloat64 && random_.chance(0.5);
    std::string out = make(type, depth) + pick({" in [", " not in ["});
    const std::size_t count = random_.below(5) * random_.below(5);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out += ", ";
      const Type element = mixed && random_.chance(0.5) ? Type::kInt64 : type;
      out += random_.chance(0.8) ? leaf(element) : make(element, depth);
    }
    return out + "]";
  }

  base::Random& random_;
  std::vector<std::string> made_[4];
};

}  // namespace millrace::expr::oracle
