#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "rows/row_scratch.h"
#include "stores/store_client.h"

namespace millrace::stores {

/// Replies to reads that may be used again for a while: bounded in time and in bytes, the least
/// recently used go first.
/// Threading: loop thread. Lifetime: replies that were given live on.
class ReplyCache {
 public:
  ReplyCache(base::Duration ttl, std::size_t bytes_max) : ttl_(ttl), bytes_max_(bytes_max) {}

  [[nodiscard]] bool is_on() const { return ttl_.count() != 0; }
  /// The reply for one key, or nullptr.
  [[nodiscard]] std::shared_ptr<const StoreReply> find(std::uint32_t shape,
                                                       std::string_view key,
                                                       base::TimePoint now);
  /// Keeps a copy of what a reply holds for its `index`th key.
  void add(std::uint32_t shape,
           std::string_view key,
           const StoreReply& from,
           std::size_t index,
           base::TimePoint now);
  /// Forgets what is known of a key.
  void forget(std::string_view key);
  void clear();

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    std::uint32_t shape = 0;
    base::TimePoint expires{};
    std::size_t bytes = 0;
    std::shared_ptr<const StoreReply> reply;
  };
  using Entries = std::list<Entry>;  // the most recently used first
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void remove(Entries::iterator entry);

  const base::Duration ttl_;
  const std::size_t bytes_max_;
  rows::RowScratch scratch_;
  Entries entries_;
  std::unordered_map<std::string, std::vector<Entries::iterator>, TextHash, std::equal_to<>>
      by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace millrace::stores
