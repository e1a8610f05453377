#include <cmath>
#include <cstdint>
#include <optional>

#include "expr/kernels/hash.h"
#include "expr/kernels/kernel.h"
#include "expr/kernels/kernel_loop.h"
#include "rows/column.h"

namespace millrace::expr {

namespace {

using rows::ColumnType;

struct ToFloat {
  static double apply(std::int64_t a) { return static_cast<double>(a); }
};

struct Floor {
  static double apply(double a) { return std::floor(a); }
};

struct Ceil {
  static double apply(double a) { return std::ceil(a); }
};

// Rounds halves away from zero.
struct Round {
  static double apply(double a) { return std::round(a); }
};

struct Sqrt {
  static double apply(double a) { return __builtin_elementwise_sqrt(a); }  // no errno: vectorises
};

struct Exp {
  static double apply(double a) { return std::exp(a); }
};

struct Log {
  static double apply(double a) { return std::log(a); }
};

struct Sigmoid {
  static double apply(double a) { return 1.0 / (1.0 + std::exp(-a)); }
};

struct Pow {
  static double apply(double a, double b) { return std::pow(a, b); }
};

struct HashInt {
  static std::int64_t apply(std::int64_t a) { return hash_bits(static_cast<std::uint64_t>(a)); }
};

struct HashFloat {
  static std::int64_t apply(double a) { return hash_float(a); }
};

struct HashBool {
  static std::int64_t apply(std::uint8_t a) { return hash_bits(a); }
};

struct Not {
  static std::uint8_t apply(std::uint8_t a) { return a ^ 1U; }
};

std::optional<Kernel> find_float_math_kernel(Opcode opcode, UniformMask uniform) {
  switch (opcode) {
    case Opcode::kFloor:
      return unary_kernel<Floor, double, double>();
    case Opcode::kCeil:
      return unary_kernel<Ceil, double, double>();
    case Opcode::kRound:
      return unary_kernel<Round, double, double>();
    case Opcode::kSqrt:
      return unary_kernel<Sqrt, double, double>();
    case Opcode::kExp:
      return unary_kernel<Exp, double, double>();
    case Opcode::kLog:
      return unary_kernel<Log, double, double>();
    case Opcode::kSigmoid:
      return unary_kernel<Sigmoid, double, double>();
    case Opcode::kPow:
      return binary_kernel<Pow, double, double>(uniform);
    case Opcode::kHash:
      return unary_kernel<HashFloat, double, std::int64_t>();
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Kernel> find_math_kernel(Opcode opcode, ColumnType type, UniformMask uniform) {
  if (type == ColumnType::kFloat64) return find_float_math_kernel(opcode, uniform);
  if (type == ColumnType::kInt64) {
    if (opcode == Opcode::kToFloat) return unary_kernel<ToFloat, std::int64_t, double>();
    if (opcode == Opcode::kHash) return unary_kernel<HashInt, std::int64_t, std::int64_t>();
  }
  if (type == ColumnType::kBool) {
    if (opcode == Opcode::kNot) return unary_kernel<Not, std::uint8_t, std::uint8_t>();
    if (opcode == Opcode::kHash) return unary_kernel<HashBool, std::uint8_t, std::int64_t>();
  }
  return std::nullopt;
}

}  // namespace millrace::expr
