#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "stores/embedded_data.h"

namespace millrace::stores {

/// Puts together what several lines of a data file wrote to one key, as Redis does: a field of a
/// hash and the score of a member get the last value, lists grow, sets have each member once, and a
/// string is replaced. Takes time in the size of the data, whatever the order of the lines.
///
/// While lines are read, the values of one line stand together; those of an entry may be in several
/// places. `finish` brings them together and into order: members of a sorted set by score, then by
/// text; members of a set by number, or by text if some are no numbers.
/// Threading: not shared. Lifetime: borrows the data.
class LineMerger {
 public:
  explicit LineMerger(EmbeddedData& data) : data_(data) {}

  /// Says that `count` values from `first` on, the last ones there are, belong to an entry, too.
  void add(std::size_t entry, std::uint64_t first, std::uint32_t count);
  /// Says that an entry has only these values now.
  void replace(std::size_t entry, std::uint64_t first, std::uint32_t count);
  /// Says that the values of some entry are not in order, or that a field occurs twice.
  void note_disorder() { is_needed_ = true; }
  /// Orders everything; nothing may be added any more.
  void finish();

 private:
  struct Part {
    std::size_t entry = 0;
    std::uint64_t first = 0;
    std::uint32_t count = 0;
  };
  /// A value with what stands beside it.
  struct Value {
    EmbeddedData::Text text;
    std::int64_t integer = 0;
  };

  void take(std::uint64_t first, std::uint32_t count);
  void settle(EmbeddedData::Entry& entry);
  void merge_fields();
  void merge_members();
  void merge_scores();

  EmbeddedData& data_;
  std::vector<Part> parts_;
  /// By entry: how many parts there were when it was replaced.
  std::unordered_map<std::size_t, std::size_t> replaced_;
  std::vector<Value> values_;  // of the entry that is put together
  // By field: the entry that had it last, counted from 1, and where in `values_`.
  std::vector<std::size_t> field_entry_;
  std::vector<std::size_t> field_place_;
  std::size_t entry_number_ = 0;
  // Most files write each key once, and need no second copy of their values.
  bool is_needed_ = false;
};

}  // namespace millrace::stores
