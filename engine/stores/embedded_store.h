#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Data in the process, in the shape of a Redis database: keys to hashes, lists and strings.
//
// The file is text, one Redis command per line, so that `redis-cli < FILE` loads the same data into
// a server:
//
//   HSET user:1 name "Ada L." country DE age 31
//   RPUSH follow:1 2 5 9
//   SET quality:7 0.75
//
// Words are separated by spaces; a word with a space, a quote or a control byte in it stands in
// double quotes, where \" \\ \n \r \t and \xHH are understood. Commands may be in lower case. Empty
// lines count as lines and mean nothing. Each key is written by one line.

namespace millrace::stores {

enum class EntryKind : std::uint8_t { kHash, kList, kString };

/// Names the kind as Redis does: `hash`, `list`, `string`.
[[nodiscard]] std::string_view to_string(EntryKind kind);

class EmbeddedStore;
/// Owners: every client of the data and every reply whose texts point into it.
using EmbeddedStoreRef = std::shared_ptr<const EmbeddedStore>;

/// All keys of a file in flat arrays; lookups allocate nothing.
/// Threading: any thread; immutable.
class EmbeddedStore {
 public:
  /// Number of a field name among all that occur; hashes are searched by it.
  using FieldId = std::uint32_t;
  static constexpr FieldId kNoField = UINT32_MAX;

  /// Where a text stands in the store's bytes.
  struct Text {
    std::uint64_t begin = 0;
    std::uint32_t size = 0;
    FieldId field = kNoField;  ///< of a value in a hash
  };
  struct Entry {
    Text key;
    EntryKind kind = EntryKind::kString;
    std::uint32_t count = 0;    ///< values
    std::uint64_t first = 0;    ///< of its values
    bool all_integers = false;  ///< every value is an int64
  };

  /// Reads the text of a data file; `name` is for errors, which say `name:line`.
  [[nodiscard]] static base::Result<EmbeddedStoreRef> parse(std::string_view text,
                                                            std::string_view name);
  /// Reads a data file.
  [[nodiscard]] static base::Result<EmbeddedStoreRef> load(const std::string& path);

  /// The entry of a key, or nullptr.
  [[nodiscard]] const Entry* find_entry(std::string_view key) const;
  /// The number of a field name, or kNoField.
  [[nodiscard]] FieldId find_field(std::string_view name) const;

  [[nodiscard]] std::string_view text(const Text& place) const {
    return {bytes_.data() + place.begin, place.size};
  }
  /// Items of a list, values of a hash, or the one value of a string.
  [[nodiscard]] std::span<const Text> values(const Entry& entry) const {
    return std::span(values_).subspan(entry.first, entry.count);
  }
  /// The same as numbers; only if `all_integers`.
  [[nodiscard]] std::span<const std::int64_t> integers(const Entry& entry) const {
    return std::span(integers_).subspan(entry.first, entry.count);
  }
  [[nodiscard]] std::string_view field_name(FieldId field) const { return text(fields_[field]); }

  [[nodiscard]] std::size_t key_count() const { return entries_.size(); }

 private:
  friend class EmbeddedStoreBuilder;
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t index = UINT32_MAX;
  };

  /// The slot of a name among those of `texts`, or the free slot where it belongs.
  template <class TextOf>
  [[nodiscard]] std::size_t slot_of(const std::vector<Slot>& slots,
                                    std::string_view name,
                                    TextOf text_of) const;

  std::string bytes_;
  std::vector<Text> values_;
  std::vector<std::int64_t> integers_;  // as long as values_; 0 where there is none
  std::vector<Entry> entries_;
  std::vector<Text> fields_;
  std::vector<Slot> key_slots_;    // open addressing, linear probing, power-of-two size
  std::vector<Slot> field_slots_;  // the same
};

}  // namespace millrace::stores
