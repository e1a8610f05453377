#pragma once

#include <span>

#include "base/formats/json_writer.h"
#include "rank/explain/explain_ids.h"

namespace millrace::rank {

/// Writes the array that stands under `"explain"`: for each id its verdict and its paths. For an id
/// that was neither served nor cut nor dropped, also the sources and lists that do not have it.
void write_explanation(base::JsonWriter& json,
                       const ExplainSource& source,
                       std::span<const ExplainedId> explained,
                       bool ids_as_strings);

}  // namespace millrace::rank
