#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/spread_ref.h"
#include "rows/dictionary.h"
#include "rows/row_scratch.h"
#include "rows/row_set.h"

namespace millrace::rows {

/// The column that says which input of a concat a row came from.
inline constexpr std::string_view kSourceColumn = "source";

/// A name for each input of a concat, or no names at all. Made once for many calls: their results
/// share its dictionary.
/// Threading: any thread; immutable.
class ConcatTags {
 public:
  ConcatTags() = default;
  explicit(false) ConcatTags(std::span<const std::string> names);
  explicit(false) ConcatTags(const std::vector<std::string>& names)
      : ConcatTags(std::span<const std::string>(names)) {}

  [[nodiscard]] bool empty() const { return codes_.empty(); }
  [[nodiscard]] std::size_t size() const { return codes_.size(); }
  /// Code of an input's name in the dictionary.
  [[nodiscard]] std::int32_t code(std::size_t input) const { return codes_[input]; }
  [[nodiscard]] std::string_view name(std::size_t input) const {
    return dictionary()->at(codes_[input]);
  }
  /// The dictionary of all names; nullptr if there are none.
  [[nodiscard]] const DictionaryRef& dictionary() const { return dictionary_.get(); }

 private:
  std::vector<std::int32_t> codes_;
  base::SpreadRef<const Dictionary> dictionary_;  // every result has a reference
};

/// Puts the rows of all inputs one after another, in order. Columns are the union by name, in order
/// of first appearance; a column that an input lacks is null there; one name with two types is an
/// error.
///
/// `tags` is empty, or names each input; then the result has a string column `source`, and rows
/// that come with a source of their own keep it, so that it always tells where a row first came
/// from. When all inputs are views of one batch and there are no tags, no column is copied.
[[nodiscard]] base::Result<RowSet> concat(std::span<const RowSet> inputs,
                                          const ConcatTags& tags,
                                          RowScratch& scratch);

}  // namespace millrace::rows
