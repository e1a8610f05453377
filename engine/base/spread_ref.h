#pragma once

#include <array>
#include <memory>
#include <utility>

#include "base/sync/atomics.h"
#include "base/thread_number.h"

namespace millrace::base {

/// A reference to the same object with a count of its own, in a cache line of its own. Threads that
/// copy references to one object all the time slow each other down by its count; give each of them
/// a reference from here.
template <class T>
[[nodiscard]] std::shared_ptr<T> with_own_count(std::shared_ptr<T> shared) {
  struct alignas(kApartBytes) Owner {
    std::shared_ptr<T> shared;
  };
  const auto owner = std::make_shared<Owner>(Owner{std::move(shared)});
  return {owner, owner->shared.get()};
}

/// References to one object for many threads, each with a count of its own.
/// Threading: any thread; immutable. Threads share a count where they share a number.
template <class T>
class SpreadRef {
 public:
  SpreadRef() = default;
  explicit SpreadRef(const std::shared_ptr<T>& shared) {
    for (std::shared_ptr<T>& ref : refs_) ref = with_own_count(shared);
  }

  /// The one of the calling thread. Null if there is no object.
  [[nodiscard]] const std::shared_ptr<T>& get() const { return refs_[ThreadNumber::get()]; }

 private:
  std::array<std::shared_ptr<T>, ThreadNumber::kCountMax> refs_;
};

}  // namespace millrace::base
