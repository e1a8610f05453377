#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "runtime/node_call.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {

/// Optional settings of a loop over a range.
struct ForEachOptions {
  std::vector<std::string> after = {};
  /// Into how many nodes the range is cut. More even out elements of uneven cost.
  std::uint32_t pieces = 8;
  /// A range with fewer elements per piece is cut into fewer pieces.
  std::uint32_t elements_per_piece_min = 1;
  std::optional<Priority> priority = {};
};

inline constexpr std::uint32_t kPiecesMax = 1024;

/// The elements of one piece: from `begin` to before `end`.
struct PieceBounds {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Cuts `size` elements into at most `piece_count` nearly equal pieces of at least `size_min`
/// elements, and gives the bounds of one. Those that are left over are empty.
[[nodiscard]] constexpr PieceBounds bounds_of_piece(std::size_t size,
                                                    std::uint32_t piece,
                                                    std::uint32_t piece_count,
                                                    std::uint32_t size_min) {
  const std::size_t wanted =
      std::clamp<std::size_t>(size / std::max<std::uint32_t>(size_min, 1), 1, piece_count);
  if (piece >= wanted) return {};
  const std::size_t each = size / wanted;
  const std::size_t longer = size % wanted;  // the first ones get one element more
  const std::size_t begin = piece * each + std::min<std::size_t>(piece, longer);
  return {.begin = begin, .end = begin + each + (piece < longer ? 1 : 0)};
}

/// One piece of a loop: a body of a flow over `Context`. `Range` gives the elements, by reference
/// or as a view of them; `Body` is called with each, and with the context before it if it wants it.
template <class Context, class Range, class Body>
struct ForEachPiece {
  Range range;
  Body body;
  std::uint32_t piece = 0;
  std::uint32_t piece_count = 1;
  std::uint32_t elements_min = 1;

  using Elements = std::invoke_result_t<const Range&, Context&>;
  static_assert(std::ranges::random_access_range<Elements> && std::ranges::sized_range<Elements>,
                "for_each needs the elements at once, in a range with random access");
  static_assert(std::is_lvalue_reference_v<Elements> || std::ranges::view<Elements>,
                "The range is given by reference or as a view: a copy would be lost");

  base::Status operator()(Context& context, NodeCall& call) const {
    auto&& elements = std::invoke(range, context);
    const PieceBounds bounds =
        bounds_of_piece(std::ranges::size(elements), piece, piece_count, elements_min);
    using Difference = std::ranges::range_difference_t<Elements>;
    const auto first = std::ranges::begin(elements);
    for (std::size_t index = bounds.begin; index < bounds.end; ++index) {
      if (!call.is_wanted())
        return base::fail(base::ErrorCode::kCancelled, "The run is over; the loop stopped early");
      MR_TRY_STATUS(visit(context, first[static_cast<Difference>(index)]));
    }
    return {};
  }

 private:
  template <class Element>
  base::Status visit(Context& context, Element&& element) const {
    const auto call_it = [&] {
      if constexpr (std::invocable<const Body&, Context&, Element>) {
        return std::invoke(body, context, std::forward<Element>(element));
      } else {
        return std::invoke(body, std::forward<Element>(element));
      }
    };
    if constexpr (std::is_void_v<decltype(call_it())>) {
      call_it();
      return {};
    } else {
      return call_it();
    }
  }
};

}  // namespace millrace::runtime
