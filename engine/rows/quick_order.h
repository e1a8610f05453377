#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "rows/stop_check.h"

// Selecting and sorting short arrays of small values whose order no branch predictor can guess.
// Partitions run without a branch on the comparison, which is twice as fast on random keys. Orders
// that make bad pivots fall back to the standard library, so its bounds on the work hold here too.

namespace millrace::rows {

namespace internal {

inline constexpr std::ptrdiff_t kQuickRunMax = 12;  ///< shorter runs are sorted by insertion

inline int quick_round_max(std::ptrdiff_t count) {
  return 2 * static_cast<int>(std::bit_width(static_cast<std::size_t>(count)));
}

template <class T, class Less>
void insertion_sort(T* begin, T* end, Less less) {
  for (T* at = begin; at < end; ++at) {
    const T value = *at;
    T* hole = at;
    for (; hole != begin && less(value, hole[-1]); --hole) *hole = hole[-1];
    *hole = value;
  }
}

/// Takes the median of three as pivot, moves it to its place in the sorted order, with smaller
/// values before it and others after it, and returns that place. Returns nullptr if the work was
/// stopped.
template <class T, class Less>
T* partition_quick(T* begin, T* end, Less less, StopPacer& pacer) {
  // Checked once per call and not within the loop, which is a few instructions long: arrays here
  // are short.
  if (!pacer.go_on(static_cast<std::size_t>(end - begin))) return nullptr;
  T* middle = begin + (end - begin) / 2;
  T* last = end - 1;
  if (less(*middle, *begin)) std::swap(*middle, *begin);
  if (less(*last, *middle)) std::swap(*last, *middle);
  if (less(*middle, *begin)) std::swap(*middle, *begin);
  std::swap(*begin, *middle);
  const T pivot = *begin;
  T* smaller_end = begin + 1;
  for (T* at = begin + 1; at != end; ++at) {
    const T value = *at;
    *at = *smaller_end;
    *smaller_end = value;
    smaller_end += less(value, pivot) ? 1 : 0;
  }
  --smaller_end;
  std::swap(*begin, *smaller_end);
  return smaller_end;
}

template <class T, class Less>
bool sort_rounds(T* begin, T* end, Less less, int rounds, StopPacer& pacer) {
  while (end - begin > kQuickRunMax) {
    if (rounds-- == 0) {
      std::sort(begin, end, less);
      return true;
    }
    T* pivot = partition_quick(begin, end, less, pacer);
    if (pivot == nullptr || !sort_rounds(begin, pivot, less, rounds, pacer)) return false;
    begin = pivot + 1;
  }
  insertion_sort(begin, end, less);
  return true;
}

}  // namespace internal

/// Does what std::nth_element does. T is small and trivially copyable; `less` is a strict order in
/// which few elements are equal. Returns false if the work was stopped; the elements are then in
/// any order.
template <class T, class Less>
[[nodiscard]] bool quick_select(T* begin, T* nth, T* end, Less less, StopPacer& pacer) {
  int rounds = internal::quick_round_max(end - begin);
  while (end - begin > internal::kQuickRunMax) {
    if (rounds-- == 0) {
      std::nth_element(begin, nth, end, less);
      return true;
    }
    T* pivot = internal::partition_quick(begin, end, less, pacer);
    if (pivot == nullptr) return false;
    if (pivot == nth) return true;
    if (nth < pivot) {
      end = pivot;
    } else {
      begin = pivot + 1;
    }
  }
  internal::insertion_sort(begin, end, less);
  return true;
}

/// Does what std::sort does, under the same conditions as quick_select.
template <class T, class Less>
[[nodiscard]] bool quick_sort(T* begin, T* end, Less less, StopPacer& pacer) {
  return internal::sort_rounds(begin, end, less, internal::quick_round_max(end - begin), pacer);
}

}  // namespace millrace::rows
