#include "expr/kernels/kernel.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/check.h"
#include "expr/kernels/kernel_loop.h"
#include "rows/column.h"

namespace millrace::expr {

namespace {

// Sixteen bytes that are only copied, never interpreted.
struct Wide {
  std::array<std::uint64_t, 2> words;
};

template <class T, UniformMask kUniform>
bool choose_loop(const KernelCall& call) {
  const std::size_t count = call.count;
  const Input<std::uint8_t, false> choice(call.in[0]);
  const Input<T, (kUniform & 2U) != 0> yes(call.in[1]);
  const Input<T, (kUniform & 4U) != 0> no(call.in[2]);
  auto* __restrict out = static_cast<T*>(call.out);
  for (std::size_t i = 0; i < count; ++i) {
    // Read both values, so that the choice compiles to a blend instead of a jump.
    const T if_yes = yes[i];
    const T if_no = no[i];
    out[i] = choice[i] != 0 ? if_yes : if_no;
  }
  return false;
}

template <class T>
Kernel shaped_choose_kernel(UniformMask uniform) {
  if (uniform == 2) return {.values = choose_loop<T, 2>};
  if (uniform == 4) return {.values = choose_loop<T, 4>};
  if (uniform == 6) return {.values = choose_loop<T, 6>};
  return {.values = choose_loop<T, 0>};
}

}  // namespace

Kernel kernel_for(Opcode opcode, rows::ColumnType type, UniformMask uniform) {
  std::optional<Kernel> kernel = find_arithmetic_kernel(opcode, type, uniform);
  if (!kernel) kernel = find_math_kernel(opcode, type, uniform);
  if (!kernel) kernel = find_compare_kernel(opcode, type, uniform);
  MR_CHECK(kernel.has_value(), static_cast<int>(opcode), static_cast<int>(type));
  return *kernel;
}

Kernel choose_kernel(std::size_t width_bytes, UniformMask uniform) {
  switch (width_bytes) {
    case 1:
      return shaped_choose_kernel<std::uint8_t>(uniform);
    case 4:
      return shaped_choose_kernel<std::uint32_t>(uniform);
    case 8:
      return shaped_choose_kernel<std::uint64_t>(uniform);
    default:
      return shaped_choose_kernel<Wide>(uniform);
  }
}

}  // namespace millrace::expr
