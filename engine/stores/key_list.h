#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "rows/column_builder.h"
#include "rows/row_scratch.h"

namespace millrace::stores {

/// Many keys in two blocks of pooled memory, whatever their number.
/// Threading: not shared while it is written.
class KeyList {
 public:
  KeyList() = default;

  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return {bytes_.data() + begin, ends_[index] - begin};
  }

 private:
  friend class KeyListBuilder;
  rows::Array<char> bytes_;
  rows::Array<std::size_t> ends_;
};

/// Writes keys that are a prefix, a value or several parts, and a suffix.
/// Threading: not shared. Lifetime: borrows the scratch and the texts.
class KeyListBuilder {
 public:
  /// Makes room for `count` keys; values that are long take more when they come.
  KeyListBuilder(rows::RowScratch& scratch,
                 std::string_view prefix,
                 std::string_view suffix,
                 std::size_t count)
      : scratch_(scratch), prefix_(prefix), suffix_(suffix) {
    keys_.bytes_ = scratch.make_array<char>(count * (prefix.size() + suffix.size() + kDigitsMax));
    keys_.bytes_.resize_within_capacity(0);
    keys_.ends_ = scratch.make_array<std::size_t>(count);
    keys_.ends_.resize_within_capacity(0);
  }

  /// Adds the key with this value.
  template <class Value>
  void add(const Value& value) {
    begin_key();
    append(value);
    end_key();
  }
  /// Adds a key part by part: begin_key, append for each, end_key.
  void begin_key() { append(prefix_); }
  void append(std::int64_t value) {
    char* const out = space(kDigitsMax);
    char* const end = std::to_chars(out, out + kDigitsMax, value).ptr;
    keys_.bytes_.resize_within_capacity(static_cast<std::size_t>(end - keys_.bytes_.data()));
  }
  void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(space(text.size()), text.data(), text.size());
    keys_.bytes_.resize_within_capacity(keys_.bytes_.size() + text.size());
  }
  void end_key() {
    append(suffix_);
    const std::size_t count = keys_.ends_.size();
    keys_.ends_.resize_within_capacity(count + 1);
    keys_.ends_[count] = keys_.bytes_.size();
  }
  /// Gives the keys; the builder must not be used again.
  [[nodiscard]] KeyList finish() { return std::move(keys_); }

 private:
  static constexpr std::size_t kDigitsMax = std::numeric_limits<std::int64_t>::digits10 + 2;

  /// Room for `bytes` more, behind those that are there.
  char* space(std::size_t bytes) {
    const std::size_t used = keys_.bytes_.size();
    if (used + bytes > keys_.bytes_.capacity()) grow(used + bytes);
    return keys_.bytes_.data() + used;
  }
  void grow(std::size_t bytes_needed) {
    const std::size_t used = keys_.bytes_.size();
    rows::Array<char> larger =
        scratch_.make_array<char>(std::max(bytes_needed, 2 * keys_.bytes_.capacity()));
    if (used != 0) std::memcpy(larger.data(), keys_.bytes_.data(), used);
    larger.resize_within_capacity(used);
    keys_.bytes_ = std::move(larger);
  }

  rows::RowScratch& scratch_;
  std::string_view prefix_;
  std::string_view suffix_;
  KeyList keys_;
};

}  // namespace millrace::stores
