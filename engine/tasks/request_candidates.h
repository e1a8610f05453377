#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "rows/value.h"

namespace millrace::tasks {

/// The rows that a request brings along: ids, and values of keys for some of them.
/// Threading: any thread once it is filled. Lifetime: keys and texts borrow the request's document.
class RequestCandidates {
 public:
  struct Entry {
    std::uint32_t row = 0;
    rows::Value value;
  };
  /// The values of one key, by row; rows without one are left out.
  struct Given {
    std::string_view key;
    std::vector<Entry> entries;
  };

  void add_row(std::int64_t id) { ids_.push_back(id); }
  /// Sets a value of the last row. A row has each key once.
  void set(std::string_view key, const rows::Value& value) {
    const auto [place, is_new] = places_.try_emplace(key, given_.size());
    if (is_new) given_.push_back({.key = key, .entries = {}});
    given_[place->second].entries.push_back(
        {.row = static_cast<std::uint32_t>(ids_.size() - 1), .value = value});
  }

  [[nodiscard]] std::span<const std::int64_t> ids() const { return ids_; }
  /// The keys that at least one row has, in the order in which they first appear.
  [[nodiscard]] std::span<const Given> given() const { return given_; }
  /// The values of a key, or nullptr.
  [[nodiscard]] const Given* find(std::string_view key) const {
    const auto place = places_.find(key);
    return place == places_.end() ? nullptr : &given_[place->second];
  }

 private:
  std::vector<std::int64_t> ids_;
  std::vector<Given> given_;
  std::map<std::string_view, std::size_t, std::less<>> places_;
};

}  // namespace millrace::tasks
