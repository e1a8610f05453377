#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "rows/row_set.h"

namespace millrace::rows {

/// The column that says which input of a concat a row came from.
inline constexpr std::string_view kSourceColumn = "source";

/// Puts the rows of all inputs one after another, in order. Columns are the union by name, in order
/// of first appearance; a column that an input lacks is null there; one name with two types is an
/// error.
///
/// `tags` is empty, or names each input; then the result has a string column `source`, and rows
/// that come with a source of their own keep it, so that it always tells where a row first came
/// from. When all inputs are views of one batch and there are no tags, no column is copied.
[[nodiscard]] base::Result<RowSet> concat(std::span<const RowSet> inputs,
                                          std::span<const std::string> tags,
                                          RowScratch& scratch);

}  // namespace millrace::rows
