#pragma once

#include <cstdint>

namespace millrace::expr {

/// What one instruction of a program does. Most exist for several operand types; the instruction
/// holds the type too.
enum class Opcode : std::uint8_t {
  // Values that come from outside.
  kConstant,
  kParam,
  kRequest,
  kViewer,
  kNow,
  kLoad,  ///< a key
  // Null if an operand is null.
  kToFloat,
  kNegate,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kMultiplyAdd,       ///< a + b * c, rounded twice
  kMultiplySubtract,  ///< a - b * c, rounded twice
  // Sums of two and three products, each rounded; every second factor is one value for all rows.
  kWeightedAdd,               ///< a * b + c * d
  kWeightedSubtract,          ///< a * b - c * d
  kWeightedAddAdd,            ///< a * b + c * d + e * f
  kWeightedAddSubtract,       ///< a * b + c * d - e * f
  kWeightedSubtractAdd,       ///< a * b - c * d + e * f
  kWeightedSubtractSubtract,  ///< a * b - c * d - e * f
  kMin,
  kMax,
  kAbs,
  kFloor,
  kCeil,
  kRound,
  kSqrt,
  kExp,
  kLog,
  kPow,
  kSigmoid,
  kHash,
  kLength,
  kLower,
  kNot,
  // Comparisons: false if an operand is null.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kInSet,
  kMatch,
  kContains,
  kStartsWith,
  // These have null rules of their own.
  kIsNull,
  kAnd,
  kOr,
  kIf,
  kCoalesce,
  // These change only the representation of a value.
  kSplat,   ///< repeats a value that is the same for all rows
  kIntern,  ///< moves strings into the dictionary of the evaluation
};

}  // namespace millrace::expr
