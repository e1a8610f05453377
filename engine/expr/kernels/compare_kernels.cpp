#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "expr/kernels/kernel.h"
#include "expr/kernels/kernel_loop.h"
#include "rows/column.h"
#include "rows/row_mask.h"
#include "rows/row_set.h"

namespace millrace::expr {

namespace {

using rows::ColumnType;
using rows::RowIndex;

// As many floats as a mask has rows; comparing two of them gives 0 or -1 for each. Always passed by
// reference: how such vectors are passed by value depends on the target processor.
using Floats = double __attribute__((ext_vector_type(rows::kMaskRows)));
using Compared = std::int64_t __attribute__((ext_vector_type(rows::kMaskRows)));
using Bits = bool __attribute__((ext_vector_type(rows::kMaskRows)));

struct Equal {
  static bool apply(auto a, auto b) { return a == b; }
  static void compare(const Floats& a, const Floats& b, Compared& out) { out = a == b; }
};

struct NotEqual {
  static bool apply(auto a, auto b) { return a != b; }
  static void compare(const Floats& a, const Floats& b, Compared& out) { out = a != b; }
};

struct Less {
  static bool apply(auto a, auto b) { return a < b; }
  static void compare(const Floats& a, const Floats& b, Compared& out) { out = a < b; }
};

struct LessEqual {
  static bool apply(auto a, auto b) { return a <= b; }
  static void compare(const Floats& a, const Floats& b, Compared& out) { out = a <= b; }
};

struct Greater {
  static bool apply(auto a, auto b) { return a > b; }
  static void compare(const Floats& a, const Floats& b, Compared& out) { out = a > b; }
};

struct GreaterEqual {
  static bool apply(auto a, auto b) { return a >= b; }
  static void compare(const Floats& a, const Floats& b, Compared& out) { out = a >= b; }
};

template <bool kUniform>
void load_floats(const void* data, std::size_t index, Floats& out) {
  if constexpr (kUniform) {
    out = Floats(*static_cast<const double*>(data));
  } else {
    std::memcpy(&out, static_cast<const double*>(data) + index, sizeof(out));
  }
}

// Handles the rows that fill whole masks; returns how many it wrote. Written with vector types,
// because the compiler does not vectorise the packing of comparisons into a mask. Ints are left to
// the loop below: the oldest processors we build for cannot compare vectors of 64-bit ints.
template <class F, UniformMask kUniform>
std::size_t select_masks(const KernelCall& call, RowIndex first, RowIndex* __restrict out) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i + rows::kMaskRows <= call.count; i += rows::kMaskRows) {
    Floats a;
    Floats b;
    Compared compared;
    load_floats<(kUniform & 1U) != 0>(call.in[0], i, a);
    load_floats<(kUniform & 2U) != 0>(call.in[1], i, b);
    F::compare(a, b, compared);
    const Bits bits = __builtin_convertvector(compared, Bits);
    std::uint8_t mask = 0;
    std::memcpy(&mask, &bits, sizeof(mask));
    kept += rows::write_mask_rows(mask, first + static_cast<RowIndex>(i), out + kept);
  }
  return kept;
}

// Writes every position, but advances only past those that are selected: no branch to mispredict.
template <class F, class T, UniformMask kUniform>
std::size_t select_dense_loop(const KernelCall& call, RowIndex first, RowIndex* __restrict out) {
  const std::size_t count = call.count;
  const Input<T, (kUniform & 1U) != 0> a(call.in[0]);
  const Input<T, (kUniform & 2U) != 0> b(call.in[1]);
  std::size_t kept = 0;
  std::size_t begin = 0;
  if constexpr (std::is_same_v<T, double>) {
    kept = select_masks<F, kUniform>(call, first, out);
    begin = count / rows::kMaskRows * rows::kMaskRows;
  }
  for (std::size_t i = begin; i < count; ++i) {
    out[kept] = first + static_cast<RowIndex>(i);
    kept += F::apply(a[i], b[i]) ? 1 : 0;
  }
  return kept;
}

template <class F, class T, UniformMask kUniform>
std::size_t select_indexed_loop(const KernelCall& call,
                                const RowIndex* index,
                                RowIndex* __restrict out) {
  const std::size_t count = call.count;
  const Input<T, (kUniform & 1U) != 0> a(call.in[0]);
  const Input<T, (kUniform & 2U) != 0> b(call.in[1]);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    out[kept] = index[i];
    kept += F::apply(a[i], b[i]) ? 1 : 0;
  }
  return kept;
}

template <class F, class T, UniformMask kUniform>
Kernel shaped_kernel() {
  return {.values = binary_loop<F, T, std::uint8_t, kUniform>,
          .select_dense = select_dense_loop<F, T, kUniform>,
          .select_indexed = select_indexed_loop<F, T, kUniform>};
}

template <class F, class T>
Kernel compare_kernel(UniformMask uniform) {
  if (uniform == 1) return shaped_kernel<F, T, 1>();
  if (uniform == 2) return shaped_kernel<F, T, 2>();
  return shaped_kernel<F, T, 0>();
}

template <class T>
std::optional<Kernel> find_equality_kernel(Opcode opcode, UniformMask uniform) {
  if (opcode == Opcode::kEqual) return compare_kernel<Equal, T>(uniform);
  if (opcode == Opcode::kNotEqual) return compare_kernel<NotEqual, T>(uniform);
  return std::nullopt;
}

template <class T>
std::optional<Kernel> find_ordered_kernel(Opcode opcode, UniformMask uniform) {
  if (opcode == Opcode::kLess) return compare_kernel<Less, T>(uniform);
  if (opcode == Opcode::kLessEqual) return compare_kernel<LessEqual, T>(uniform);
  if (opcode == Opcode::kGreater) return compare_kernel<Greater, T>(uniform);
  if (opcode == Opcode::kGreaterEqual) return compare_kernel<GreaterEqual, T>(uniform);
  return find_equality_kernel<T>(opcode, uniform);
}

}  // namespace

std::optional<Kernel> find_compare_kernel(Opcode opcode, ColumnType type, UniformMask uniform) {
  switch (type) {
    case ColumnType::kInt64:
      return find_ordered_kernel<std::int64_t>(opcode, uniform);
    case ColumnType::kFloat64:
      return find_ordered_kernel<double>(opcode, uniform);
    case ColumnType::kBool:
      return find_equality_kernel<std::uint8_t>(opcode, uniform);
    case ColumnType::kString:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace millrace::expr
