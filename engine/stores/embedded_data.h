#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::stores {

enum class EntryKind : std::uint8_t { kHash, kList, kSet, kSortedSet, kString };

/// The arrays of embedded data: entries, and their values one after another.
/// Threading: not shared while it is written.
struct EmbeddedData {
  /// No field, and no score.
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Where a text stands in `bytes`.
  struct Text {
    std::uint64_t begin = 0;
    std::uint32_t size = 0;
    /// Of a value in a hash: the number of its field. Of a member of a sorted set: the index of its
    /// score.
    std::uint32_t field = kNone;
  };
  struct Entry {
    Text key;
    EntryKind kind = EntryKind::kString;
    std::uint32_t count = 0;    ///< values
    std::uint64_t first = 0;    ///< of its values
    bool all_integers = false;  ///< every value is an int64
  };

  [[nodiscard]] std::string_view text(const Text& place) const {
    return {bytes.data() + place.begin, place.size};
  }

  std::string bytes;
  std::vector<Text> values;
  std::vector<std::int64_t> integers;  ///< as long as `values`; 0 where there is none
  std::vector<double> scores;
  std::vector<Entry> entries;
};

}  // namespace millrace::stores
