#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace millrace::base {

/// A dense index that cannot be mixed up with an index of another kind.
/// `struct NodeTag; using NodeId = StrongId<NodeTag>;`
template <class Tag, class Representation = std::uint32_t>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(Representation value) : value_(value) {}
  [[nodiscard]] constexpr Representation value() const { return value_; }
  [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
  friend constexpr auto operator<=>(StrongId, StrongId) = default;

 private:
  Representation value_{};
};

}  // namespace millrace::base

template <class Tag, class Representation>
struct std::hash<millrace::base::StrongId<Tag, Representation>> {
  std::size_t operator()(millrace::base::StrongId<Tag, Representation> id) const noexcept {
    return std::hash<Representation>{}(id.value());
  }
};
