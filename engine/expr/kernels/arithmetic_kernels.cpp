#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "expr/kernels/kernel.h"
#include "expr/kernels/kernel_loop.h"
#include "rows/column.h"

namespace millrace::expr {

namespace {

using rows::ColumnType;

std::int64_t wrap(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }
std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// Integer operators wrap around. `exception` reports an overflow by its sign bit: it is negative if
// the operation overflowed.
struct AddInt {
  static std::int64_t apply(std::int64_t a, std::int64_t b) { return wrap(bits(a) + bits(b)); }
  static std::int64_t exception(std::int64_t a, std::int64_t b, std::int64_t result) {
    return (a ^ result) & (b ^ result);
  }
};

struct SubtractInt {
  static std::int64_t apply(std::int64_t a, std::int64_t b) { return wrap(bits(a) - bits(b)); }
  static std::int64_t exception(std::int64_t a, std::int64_t b, std::int64_t result) {
    return (a ^ b) & (a ^ result);
  }
};

struct MultiplyInt {
  static std::int64_t apply(std::int64_t a, std::int64_t b) { return wrap(bits(a) * bits(b)); }
  static std::int64_t exception(std::int64_t a, std::int64_t b, std::int64_t /*result*/) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? -1 : 0;
  }
};

// The remainder has the sign of the dividend. The smallest int modulo -1 would trap in hardware, so
// it is computed without dividing.
struct ModuloInt {
  static std::int64_t apply(std::int64_t a, std::int64_t b) {
    return b == 0 || b == -1 ? 0 : a % b;
  }
  static std::int64_t exception(std::int64_t /*a*/, std::int64_t b, std::int64_t /*result*/) {
    return b == 0 ? -1 : 0;
  }
};

struct NegateInt {
  static std::int64_t apply(std::int64_t a) { return wrap(0 - bits(a)); }
  static std::int64_t exception(std::int64_t a, std::int64_t result) { return a & result; }
};

struct AbsInt {
  static std::int64_t apply(std::int64_t a) { return a < 0 ? wrap(0 - bits(a)) : a; }
  static std::int64_t exception(std::int64_t /*a*/, std::int64_t result) { return result; }
};

struct Add {
  static double apply(double a, double b) { return a + b; }
};

struct Subtract {
  static double apply(double a, double b) { return a - b; }
};

struct Multiply {
  static double apply(double a, double b) { return a * b; }
};

struct Divide {
  static double apply(double a, double b) { return a / b; }
  static std::int64_t exception(double /*a*/, double b, double /*result*/) {
    return b == 0 ? -1 : 0;
  }
};

struct Modulo {
  static double apply(double a, double b) { return std::fmod(a, b); }
  static std::int64_t exception(double /*a*/, double b, double /*result*/) {
    return b == 0 ? -1 : 0;
  }
};

struct Negate {
  static double apply(double a) { return -a; }
};

struct Abs {
  static double apply(double a) { return std::fabs(a); }
};

// NaN if an operand is NaN: if b is NaN, the comparison is false and the result is b.
template <class T>
struct Min {
  static T apply(T a, T b) {
    const T smaller = a < b ? a : b;
    return a == a ? smaller : a;
  }
};

template <class T>
struct Max {
  static T apply(T a, T b) {
    const T larger = a > b ? a : b;
    return a == a ? larger : a;
  }
};

struct PlusProduct {
  static double apply(double a, double product) { return a + product; }
};

struct MinusProduct {
  static double apply(double a, double product) { return a - product; }
};

template <class F, UniformMask kUniform>
bool product_loop(const KernelCall& call) {
  const std::size_t count = call.count;
  const Input<double, (kUniform & 1U) != 0> a(call.in[0]);
  const Input<double, false> b(call.in[1]);
  const Input<double, (kUniform & 4U) != 0> c(call.in[2]);
  auto* __restrict out = static_cast<double*>(call.out);
  for (std::size_t i = 0; i < count; ++i) out[i] = F::apply(a[i], b[i] * c[i]);
  return false;
}

template <class F>
Kernel product_kernel(UniformMask uniform) {
  if (uniform == 1) return {.values = product_loop<F, 1>};
  if (uniform == 4) return {.values = product_loop<F, 4>};
  if (uniform == 5) return {.values = product_loop<F, 5>};
  return {.values = product_loop<F, 0>};
}

// Every second factor is uniform. `First` and `Second` add or subtract the products, from the left.
template <class First>
bool weighted_two_loop(const KernelCall& call) {
  const std::size_t count = call.count;
  const Input<double, false> a(call.in[0]);
  const Input<double, true> b(call.in[1]);
  const Input<double, false> c(call.in[2]);
  const Input<double, true> d(call.in[3]);
  auto* __restrict out = static_cast<double*>(call.out);
  for (std::size_t i = 0; i < count; ++i) out[i] = First::apply(a[i] * b[i], c[i] * d[i]);
  return false;
}

template <class First, class Second>
bool weighted_three_loop(const KernelCall& call) {
  const std::size_t count = call.count;
  const Input<double, false> a(call.in[0]);
  const Input<double, true> b(call.in[1]);
  const Input<double, false> c(call.in[2]);
  const Input<double, true> d(call.in[3]);
  const Input<double, false> e(call.in[4]);
  const Input<double, true> f(call.in[5]);
  auto* __restrict out = static_cast<double*>(call.out);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = Second::apply(First::apply(a[i] * b[i], c[i] * d[i]), e[i] * f[i]);
  }
  return false;
}

std::optional<Kernel> find_weighted_kernel(Opcode opcode) {
  switch (opcode) {
    case Opcode::kWeightedAdd:
      return Kernel{.values = weighted_two_loop<Add>};
    case Opcode::kWeightedSubtract:
      return Kernel{.values = weighted_two_loop<Subtract>};
    case Opcode::kWeightedAddAdd:
      return Kernel{.values = weighted_three_loop<Add, Add>};
    case Opcode::kWeightedAddSubtract:
      return Kernel{.values = weighted_three_loop<Add, Subtract>};
    case Opcode::kWeightedSubtractAdd:
      return Kernel{.values = weighted_three_loop<Subtract, Add>};
    case Opcode::kWeightedSubtractSubtract:
      return Kernel{.values = weighted_three_loop<Subtract, Subtract>};
    default:
      return std::nullopt;
  }
}

std::optional<Kernel> find_int_kernel(Opcode opcode, UniformMask uniform) {
  using Int = std::int64_t;
  switch (opcode) {
    case Opcode::kAdd:
      return binary_checked_kernel<AddInt, Int>(uniform);
    case Opcode::kSubtract:
      return binary_checked_kernel<SubtractInt, Int>(uniform);
    case Opcode::kMultiply:
      return binary_checked_kernel<MultiplyInt, Int>(uniform);
    case Opcode::kModulo:
      return binary_checked_kernel<ModuloInt, Int>(uniform);
    case Opcode::kMin:
      return binary_kernel<Min<Int>, Int, Int>(uniform);
    case Opcode::kMax:
      return binary_kernel<Max<Int>, Int, Int>(uniform);
    case Opcode::kNegate:
      return unary_checked_kernel<NegateInt, Int, Int>();
    case Opcode::kAbs:
      return unary_checked_kernel<AbsInt, Int, Int>();
    default:
      return std::nullopt;
  }
}

std::optional<Kernel> find_float_kernel(Opcode opcode, UniformMask uniform) {
  switch (opcode) {
    case Opcode::kAdd:
      return binary_kernel<Add, double, double>(uniform);
    case Opcode::kSubtract:
      return binary_kernel<Subtract, double, double>(uniform);
    case Opcode::kMultiply:
      return binary_kernel<Multiply, double, double>(uniform);
    case Opcode::kDivide:
      return binary_checked_kernel<Divide, double>(uniform);
    case Opcode::kModulo:
      return binary_checked_kernel<Modulo, double>(uniform);
    case Opcode::kMultiplyAdd:
      return product_kernel<PlusProduct>(uniform);
    case Opcode::kMultiplySubtract:
      return product_kernel<MinusProduct>(uniform);
    case Opcode::kMin:
      return binary_kernel<Min<double>, double, double>(uniform);
    case Opcode::kMax:
      return binary_kernel<Max<double>, double, double>(uniform);
    case Opcode::kNegate:
      return unary_kernel<Negate, double, double>();
    case Opcode::kAbs:
      return unary_kernel<Abs, double, double>();
    default:
      return find_weighted_kernel(opcode);
  }
}

}  // namespace

std::optional<Kernel> find_arithmetic_kernel(Opcode opcode, ColumnType type, UniformMask uniform) {
  if (type == ColumnType::kInt64) return find_int_kernel(opcode, uniform);
  if (type == ColumnType::kFloat64) return find_float_kernel(opcode, uniform);
  return std::nullopt;
}

}  // namespace millrace::expr
