#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "rows/dictionary.h"

namespace millrace::expr {

/// The strings that one evaluation computes, each stored once, numbered in order of arrival.
/// Strings of different columns are added to the same pool, so that choosing between them moves
/// codes only.
/// Threading: not shared. Lifetime: borrows the text given to `add`.
class StringPool {
 public:
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(values_.size()); }
  [[nodiscard]] std::string_view at(std::int32_t code) const {
    return values_[static_cast<std::size_t>(code)];
  }

  /// Gives the code of `value`, a new one if it is new. The text must live until clear().
  [[nodiscard]] std::int32_t add(std::string_view value);
  /// The same for text that the pool keeps itself.
  [[nodiscard]] std::int32_t add_owned(std::string value);
  /// Makes a dictionary with the same codes.
  [[nodiscard]] rows::DictionaryRef to_dictionary() const;
  /// Forgets all strings and keeps the memory of the index.
  void clear();

 private:
  [[nodiscard]] std::size_t slot_of(std::string_view value, std::size_t hash) const;
  void grow();

  std::vector<std::string_view> values_;
  std::vector<std::size_t> hashes_;  // of values_
  std::vector<std::int32_t> slots_;  // code or -1; a power of two, at most half full
  std::deque<std::string> owned_;
};

}  // namespace millrace::expr
