#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

// Selecting and sorting short arrays of small values whose order no branch predictor can guess.
// Partitions run without a branch on the comparison, which is worth a factor of two on random keys;
// orders that make bad pivots fall back to the standard library, so the bounds are its bounds.

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

/// Puts a value where it belongs in the sorted order, smaller ones before it and others after it,
/// and returns its place. Takes the median of three as that value.
template <class T, class Less>
T* partition_quick(T* begin, T* end, Less less) {
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
void sort_rounds(T* begin, T* end, Less less, int rounds) {
  while (end - begin > kQuickRunMax) {
    if (rounds-- == 0) return std::sort(begin, end, less);
    T* pivot = partition_quick(begin, end, less);
    sort_rounds(begin, pivot, less, rounds);
    begin = pivot + 1;
  }
  insertion_sort(begin, end, less);
}

}  // namespace internal

/// Does what std::nth_element does. T is small and trivially copyable; `less` is a strict order in
/// which few elements are equal.
template <class T, class Less>
void quick_select(T* begin, T* nth, T* end, Less less) {
  int rounds = internal::quick_round_max(end - begin);
  while (end - begin > internal::kQuickRunMax) {
    if (rounds-- == 0) return std::nth_element(begin, nth, end, less);
    T* pivot = internal::partition_quick(begin, end, less);
    if (pivot == nth) return;
    if (nth < pivot) {
      end = pivot;
    } else {
      begin = pivot + 1;
    }
  }
  internal::insertion_sort(begin, end, less);
}

/// Does what std::sort does, under the same conditions as quick_select.
template <class T, class Less>
void quick_sort(T* begin, T* end, Less less) {
  internal::sort_rounds(begin, end, less, internal::quick_round_max(end - begin));
}

}  // namespace millrace::rows
