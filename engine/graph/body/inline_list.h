#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace millrace::graph {

/// A list whose first item lies in the list itself: nearly all invocations take one message and
/// publish one value. From two items on all of them lie together on the heap, in memory that is
/// kept. `Item` has a method `forget`, which gives up what it holds.
/// Threading: not shared.
template <class Item>
class InlineList {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] Item* data() { return size_ <= 1 ? &first_ : all_.data(); }
  [[nodiscard]] const Item* data() const { return size_ <= 1 ? &first_ : all_.data(); }
  [[nodiscard]] Item* begin() { return data(); }
  [[nodiscard]] Item* end() { return data() + size_; }
  [[nodiscard]] const Item* begin() const { return data(); }
  [[nodiscard]] const Item* end() const { return data() + size_; }
  [[nodiscard]] Item& operator[](std::size_t index) { return data()[index]; }
  [[nodiscard]] const Item& operator[](std::size_t index) const { return data()[index]; }
  [[nodiscard]] Item& front() { return data()[0]; }
  [[nodiscard]] Item& back() { return data()[size_ - 1]; }

  void clear() {
    if (size_ == 0) return;
    first_.forget();
    if (size_ > 1) [[unlikely]]
      all_.clear();
    size_ = 0;
  }
  void push_back(Item&& item) {
    if (size_ == 0) [[likely]] {
      size_ = 1;
      first_ = std::move(item);
      return;
    }
    push_further(std::move(item));
  }
  Item& emplace_back() {
    push_back(Item());
    return back();
  }
  /// The first item of an empty list, for the caller to fill: it has the values of an earlier one,
  /// apart from what `forget` gave up.
  [[nodiscard]] Item& begin_stale() {
    size_ = 1;
    return first_;
  }

 private:
  void push_further(Item&& item) {
    if (size_ == 1) {
      all_.clear();
      all_.push_back(std::move(first_));
    }
    all_.push_back(std::move(item));
    size_ = all_.size();
  }

  std::size_t size_ = 0;
  Item first_ = {};
  std::vector<Item> all_;  // of use from two items on
};

}  // namespace millrace::graph
