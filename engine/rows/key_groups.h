#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rows/row_set.h"

namespace millrace::rows {

/// Stands for "no group": a null key, or one that the other side does not have.
inline constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

/// For each row of a set, the number of its key among the distinct keys in order of appearance.
struct KeyGroups {
  Array<std::uint32_t> ids;
  std::uint32_t group_count = 0;
};

/// Groups rows by equal keys. Values of one type that compare equal are equal keys; +0 equals -0,
/// NaN equals NaN, and null equals null. An error names the key as `where`[i].
[[nodiscard]] base::Result<KeyGroups> group_by_keys(const RowSet& rows,
                                                    std::span<const std::string> keys,
                                                    std::string_view where,
                                                    RowScratch& scratch);

/// A pair of columns whose values must be equal for two rows to match.
struct JoinKey {
  std::string left;
  std::string right;
};

/// The result of numbering the keys of `right` and finding the same keys in `left`. Null matches
/// nothing: kNoGroup.
struct MatchedGroups {
  KeyGroups right;
  Array<std::uint32_t> left_ids;
};
[[nodiscard]] base::Result<MatchedGroups> match_keys(const RowSet& left,
                                                     const RowSet& right,
                                                     std::span<const JoinKey> keys,
                                                     RowScratch& scratch);

}  // namespace millrace::rows
