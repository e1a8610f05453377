#pragma once

#include <span>

#include "base/formats/json_writer.h"
#include "rank/request_explain.h"

namespace millrace::rank {

/// Writes the array that stands under `"explain"`: per id its verdict and paths and, when no path
/// ends in a verdict about a candidate, the sources and lists that it was absent from.
void write_explanation(base::JsonWriter& json,
                       const ExplainSource& source,
                       std::span<const ExplainedId> explained,
                       bool ids_as_strings);

}  // namespace millrace::rank
