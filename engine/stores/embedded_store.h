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
#include "stores/embedded_data.h"

// Data in the process, in the shape of a Redis database: keys to hashes, lists, sets,
// sorted sets and strings.
//
// The file is text, one Redis command per line, so that `redis-cli < FILE` loads the same data into
// a server:
//
//   HSET user:1 name "Ada L." country DE age 31
//   RPUSH follow:1 2 5 9
//   SET quality:7 0.75
//   ZADD top:de 3.5 7 2 9
//   SADD blocked:1 4 8
//
// Words are separated by spaces; a word with a space, a quote or a control byte in it stands in
// double quotes, where \" \\ \n \r \t and \xHH are understood. Commands may be in lower case. Empty
// lines count as lines and mean nothing. Several lines of one key add up as in Redis: a field that
// is set again gets the new value, lists grow, SET replaces what was there, and a command for
// another type than that of the key is an error.

namespace millrace::stores {

/// Names the kind as Redis does: `hash`, `list`, `set`, `zset`, `string`.
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
  static constexpr FieldId kNoField = EmbeddedData::kNone;

  using Text = EmbeddedData::Text;
  using Entry = EmbeddedData::Entry;

  /// Reads the text of a data file; `name` is for errors, which say `name:line`.
  [[nodiscard]] static base::Result<EmbeddedStoreRef> parse(std::string_view text,
                                                            std::string_view name);
  /// Reads a data file.
  [[nodiscard]] static base::Result<EmbeddedStoreRef> load(const std::string& path);

  /// The entry of a key, or nullptr.
  [[nodiscard]] const Entry* find_entry(std::string_view key) const;
  /// The number of a field name, or kNoField.
  [[nodiscard]] FieldId find_field(std::string_view name) const;

  [[nodiscard]] std::string_view text(const Text& place) const { return data_.text(place); }
  /// Items of a list, values of a hash, members of a set (by number if all are numbers, else by
  /// text), members of a sorted set from the lowest score on, or the one value of a string.
  [[nodiscard]] std::span<const Text> values(const Entry& entry) const {
    return std::span(data_.values).subspan(entry.first, entry.count);
  }
  /// The same as numbers; only if `all_integers`.
  [[nodiscard]] std::span<const std::int64_t> integers(const Entry& entry) const {
    return std::span(data_.integers).subspan(entry.first, entry.count);
  }
  /// The score of a member of a sorted set.
  [[nodiscard]] double score(const Text& member) const { return data_.scores[member.field]; }
  [[nodiscard]] std::string_view field_name(FieldId field) const { return text(fields_[field]); }

  [[nodiscard]] std::size_t key_count() const { return data_.entries.size(); }

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

  EmbeddedData data_;
  std::vector<Text> fields_;
  std::vector<Slot> key_slots_;    // open addressing, linear probing, power-of-two size
  std::vector<Slot> field_slots_;  // the same
};

}  // namespace millrace::stores
