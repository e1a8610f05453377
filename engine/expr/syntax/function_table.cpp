#include "expr/syntax/function_table.h"

#include <array>
#include <span>
#include <string_view>

#include "base/check.h"

namespace millrace::expr {

namespace {

constexpr std::array<FunctionSpec, 20> kFunctions{{
    {Function::kCoalesce, "coalesce", Signature::kCommon, 1, kAnyCount, "coalesce(a, b, ...)"},
    {Function::kIf, "if", Signature::kChoice, 3, 3, "if(condition, a, b)"},
    {Function::kMin, "min", Signature::kCommonNumber, 2, kAnyCount, "min(a, b, ...)"},
    {Function::kMax, "max", Signature::kCommonNumber, 2, kAnyCount, "max(a, b, ...)"},
    {Function::kClamp, "clamp", Signature::kCommonNumber, 3, 3, "clamp(x, low, high)"},
    {Function::kAbs, "abs", Signature::kSameNumber, 1, 1, "abs(x)"},
    {Function::kFloor, "floor", Signature::kSameNumber, 1, 1, "floor(x)"},
    {Function::kCeil, "ceil", Signature::kSameNumber, 1, 1, "ceil(x)"},
    {Function::kRound, "round", Signature::kSameNumber, 1, 1, "round(x)"},
    {Function::kSqrt, "sqrt", Signature::kFloats, 1, 1, "sqrt(x)"},
    {Function::kExp, "exp", Signature::kFloats, 1, 1, "exp(x)"},
    {Function::kLog, "log", Signature::kFloats, 1, 1, "log(x)"},
    {Function::kPow, "pow", Signature::kFloats, 2, 2, "pow(x, y)"},
    {Function::kSigmoid, "sigmoid", Signature::kFloats, 1, 1, "sigmoid(x)"},
    {Function::kLength, "length", Signature::kStringToInt, 1, 1, "length(text)"},
    {Function::kLower, "lower", Signature::kStringToString, 1, 1, "lower(text)"},
    {Function::kContains, "contains", Signature::kStringPredicate, 2, 2, "contains(text, part)"},
    {Function::kStartsWith,
     "starts_with",
     Signature::kStringPredicate,
     2,
     2,
     "starts_with(text, prefix)"},
    {Function::kHash, "hash", Signature::kAnyToInt, 1, 1, "hash(x)"},
    {Function::kNow, "now", Signature::kNoneToInt, 0, 0, "now()"},
}};

}  // namespace

std::span<const FunctionSpec> functions() { return kFunctions; }

const FunctionSpec& spec_of(Function function) {
  for (const FunctionSpec& spec : kFunctions) {
    if (spec.function == function) return spec;
  }
  MR_CHECK(false, static_cast<int>(function));
  return kFunctions.front();
}

const FunctionSpec* find_function(std::string_view name) {
  for (const FunctionSpec& spec : kFunctions) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

}  // namespace millrace::expr
