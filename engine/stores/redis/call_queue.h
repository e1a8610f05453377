#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "stores/redis/redis_call.h"

namespace millrace::stores {

/// Calls that wait for their turn, fair by number of commands: start-time fair queueing in which
/// every call is a flow of its own. A call of n commands comes after at most n commands of those
/// that came later, so small calls pass large ones and no call waits for ever.
/// Threading: loop thread. Lifetime: borrows the calls.
class CallQueue {
 public:
  void push(RedisCall& call);
  /// The call whose turn it is; there must be one.
  [[nodiscard]] RedisCall& front() const { return *calls_.begin()->second; }
  void pop_front();
  void remove(RedisCall& call) { calls_.erase({call.tag_, call.place_}); }
  [[nodiscard]] bool empty() const { return calls_.empty(); }
  [[nodiscard]] std::size_t size() const { return calls_.size(); }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [place, call] : calls_) visit(*call);
  }

 private:
  using Place = std::pair<std::uint64_t, std::uint64_t>;  // tag, number of arrival
  std::map<Place, RedisCall*> calls_;
  std::uint64_t virtual_time_ = 0;
  std::uint64_t arrivals_ = 0;
};

}  // namespace millrace::stores
