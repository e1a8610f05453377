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

/// Writes keys that are a prefix, a value and a suffix.
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

  void add(std::int64_t value) {
    char* out = begin_key(kDigitsMax);
    char* end = std::to_chars(out, out + kDigitsMax, value).ptr;
    end_key(end);
  }
  void add(std::string_view value) {
    char* out = begin_key(value.size());
    if (!value.empty()) std::memcpy(out, value.data(), value.size());
    end_key(out + value.size());
  }
  /// Gives the keys; the builder must not be used again.
  [[nodiscard]] KeyList finish() { return std::move(keys_); }

 private:
  static constexpr std::size_t kDigitsMax = std::numeric_limits<std::int64_t>::digits10 + 2;

  char* begin_key(std::size_t value_bytes_max) {
    const std::size_t used = keys_.bytes_.size();
    const std::size_t needed = used + prefix_.size() + value_bytes_max + suffix_.size();
    if (needed > keys_.bytes_.capacity()) grow(needed);
    char* out = keys_.bytes_.data() + used;
    if (!prefix_.empty()) std::memcpy(out, prefix_.data(), prefix_.size());
    return out + prefix_.size();
  }
  void end_key(char* end) {
    if (!suffix_.empty()) std::memcpy(end, suffix_.data(), suffix_.size());
    const auto used = static_cast<std::size_t>(end - keys_.bytes_.data()) + suffix_.size();
    keys_.bytes_.resize_within_capacity(used);
    const std::size_t count = keys_.ends_.size();
    keys_.ends_.resize_within_capacity(count + 1);
    keys_.ends_[count] = used;
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
