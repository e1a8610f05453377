#pragma once

#include <cstddef>
#include <cstdint>

#include "expr/kernels/kernel_call.h"

// Loop shapes into which the kernel families plug operators. An operator is a struct with static
// functions `apply` and, when rows can be exceptional, `exception`, which is negative for such a
// row. The loop ors the results of all rows, so it has no branch and vectorises.

namespace millrace::expr {

/// An operand as the loops read it: an array, or one value kept in a register.
template <class T, bool kUniform>
class Input {
 public:
  explicit Input(const void* data)
      : values_(static_cast<const T*>(data)), first_(kUniform ? *values_ : T{}) {}
  T operator[](std::size_t index) const {
    if constexpr (kUniform) {
      return first_;
    } else {
      return values_[index];
    }
  }

 private:
  const T* values_;
  T first_;
};

template <class F, class In, class Out>
bool unary_loop(const KernelCall& call) {
  const std::size_t count = call.count;
  const Input<In, false> a(call.in[0]);
  auto* __restrict out = static_cast<Out*>(call.out);
  for (std::size_t i = 0; i < count; ++i) out[i] = F::apply(a[i]);
  return false;
}

template <class F, class In, class Out>
bool unary_checked_loop(const KernelCall& call) {
  const std::size_t count = call.count;
  const Input<In, false> a(call.in[0]);
  auto* __restrict out = static_cast<Out*>(call.out);
  std::int64_t exceptions = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Out result = F::apply(a[i]);
    exceptions |= F::exception(a[i], result);
    out[i] = result;
  }
  return exceptions < 0;
}

template <class F, class In>
void unary_mark_loop(const KernelCall& call, std::uint8_t* exceptional) {
  const std::size_t count = call.count;
  const Input<In, false> a(call.in[0]);
  for (std::size_t i = 0; i < count; ++i) {
    exceptional[i] = F::exception(a[i], F::apply(a[i])) < 0 ? 1 : 0;
  }
}

template <class F, class In, class Out, UniformMask kUniform>
bool binary_loop(const KernelCall& call) {
  const std::size_t count = call.count;
  const Input<In, (kUniform & 1U) != 0> a(call.in[0]);
  const Input<In, (kUniform & 2U) != 0> b(call.in[1]);
  auto* __restrict out = static_cast<Out*>(call.out);
  for (std::size_t i = 0; i < count; ++i) out[i] = F::apply(a[i], b[i]);
  return false;
}

template <class F, class T, UniformMask kUniform>
bool binary_checked_loop(const KernelCall& call) {
  const std::size_t count = call.count;
  const Input<T, (kUniform & 1U) != 0> a(call.in[0]);
  const Input<T, (kUniform & 2U) != 0> b(call.in[1]);
  auto* __restrict out = static_cast<T*>(call.out);
  std::int64_t exceptions = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const T result = F::apply(a[i], b[i]);
    exceptions |= F::exception(a[i], b[i], result);
    out[i] = result;
  }
  return exceptions < 0;
}

template <class F, class T, UniformMask kUniform>
void binary_mark_loop(const KernelCall& call, std::uint8_t* exceptional) {
  const std::size_t count = call.count;
  const Input<T, (kUniform & 1U) != 0> a(call.in[0]);
  const Input<T, (kUniform & 2U) != 0> b(call.in[1]);
  for (std::size_t i = 0; i < count; ++i) {
    exceptional[i] = F::exception(a[i], b[i], F::apply(a[i], b[i])) < 0 ? 1 : 0;
  }
}

template <class F, class In, class Out>
Kernel unary_kernel() {
  return {.values = unary_loop<F, In, Out>};
}

template <class F, class In, class Out>
Kernel unary_checked_kernel() {
  return {.values = unary_checked_loop<F, In, Out>, .mark = unary_mark_loop<F, In>};
}

template <class F, class In, class Out>
Kernel binary_kernel(UniformMask uniform) {
  if (uniform == 1) return {.values = binary_loop<F, In, Out, 1>};
  if (uniform == 2) return {.values = binary_loop<F, In, Out, 2>};
  return {.values = binary_loop<F, In, Out, 0>};
}

template <class F, class T>
Kernel binary_checked_kernel(UniformMask uniform) {
  if (uniform == 1) {
    return {.values = binary_checked_loop<F, T, 1>, .mark = binary_mark_loop<F, T, 1>};
  }
  if (uniform == 2) {
    return {.values = binary_checked_loop<F, T, 2>, .mark = binary_mark_loop<F, T, 2>};
  }
  return {.values = binary_checked_loop<F, T, 0>, .mark = binary_mark_loop<F, T, 0>};
}

}  // namespace millrace::expr
