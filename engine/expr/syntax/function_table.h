#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace millrace::expr {

enum class Function : std::uint8_t {
  kUnknown,
  kCoalesce,
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
  kClamp,
  kIf,
  kSigmoid,
  kLength,
  kLower,
  kContains,
  kStartsWith,
  kHash,
  kNow,
};

/// How the types of the arguments give the type of the result.
enum class Signature : std::uint8_t {
  kSameNumber,       ///< (number) -> the same type
  kCommonNumber,     ///< (numbers) -> int if all are int, else float
  kFloats,           ///< (numbers) -> float
  kCommon,           ///< (values of one type) -> that type
  kChoice,           ///< (bool, values of one type) -> that type
  kStringToInt,      ///< (string) -> int
  kStringToString,   ///< (string) -> string
  kStringPredicate,  ///< (string, string) -> bool, false when either is null
  kAnyToInt,         ///< (any) -> int
  kNoneToInt,        ///< () -> int
};

inline constexpr std::size_t kAnyCount = std::numeric_limits<std::size_t>::max();

struct FunctionSpec {
  Function function;
  std::string_view name;
  Signature signature;
  std::size_t argument_count_min;
  std::size_t argument_count_max;
  std::string_view usage;  ///< as it stands in messages and documentation
};

/// All functions, in the order of the documentation.
[[nodiscard]] std::span<const FunctionSpec> functions();
/// The spec of a known function.
[[nodiscard]] const FunctionSpec& spec_of(Function function);
[[nodiscard]] const FunctionSpec* find_function(std::string_view name);

}  // namespace millrace::expr
