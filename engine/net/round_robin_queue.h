#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <list>
#include <unordered_map>

#include "base/check.h"

namespace millrace::net {

/// A queue that serves groups in turn: for each item that is ahead of it in its own group, and for
/// itself, an item waits for at most one item of each other group, however many that has.
/// Threading: not shared. Lifetime: borrows the items. A group is any address.
template <class Item>
class RoundRobinQueue {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  void push(const void* group, Item& item) {
    auto [place, is_new] = groups_.try_emplace(group);
    if (is_new) place->second = turns_.insert(turns_.end(), {.key = group, .items = {}});
    place->second->items.push_back(&item);
    ++size_;
  }

  /// Takes the next item; nullptr if there is none.
  [[nodiscard]] Item* try_pop() {
    if (turns_.empty()) return nullptr;
    const auto group = turns_.begin();
    Item* const item = group->items.front();
    group->items.pop_front();
    --size_;
    turns_.splice(turns_.end(), turns_, group);
    if (group->items.empty()) erase(group);
    return item;
  }

  /// Takes out an item that is in the queue.
  void remove(const void* group, Item& item) {
    const auto place = groups_.find(group);
    MR_CHECK(place != groups_.end());
    std::deque<Item*>& items = place->second->items;
    const auto found = std::ranges::find(items, &item);
    MR_CHECK(found != items.end());
    items.erase(found);
    --size_;
    if (items.empty()) erase(place->second);
  }

 private:
  struct Group {
    const void* key;
    std::deque<Item*> items;
  };
  using Turn = typename std::list<Group>::iterator;

  void erase(Turn group) {
    groups_.erase(group->key);
    turns_.erase(group);
  }

  // The front is served next. No group is empty.
  std::list<Group> turns_;
  std::unordered_map<const void*, Turn> groups_;
  std::size_t size_ = 0;
};

}  // namespace millrace::net
