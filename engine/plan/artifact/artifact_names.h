#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "plan/artifact/artifact.h"

namespace millrace::plan {

/// Bounds of a list of names.
struct NameLimits {
  std::size_t bytes_max = 0;  ///< of one name
  std::size_t count_max = 0;
};

/// Says whether a text may be the name of a plan, node or slot: 1 to `bytes_max` bytes, none of
/// them a control character, the first one not `$`.
[[nodiscard]] bool is_artifact_name(std::string_view text, std::size_t bytes_max);

/// Reads a name. After a problem its text is empty.
[[nodiscard]] ArtifactName read_artifact_name(base::JsonValue value,
                                              base::ValuePlace place,
                                              std::size_t bytes_max,
                                              base::DocumentReporter& reporter);

/// Reads the names of an array, and leaves out those with a problem.
[[nodiscard]] std::vector<ArtifactName> read_artifact_names(base::JsonValue array,
                                                            const base::ValuePlace& place,
                                                            const NameLimits& limits,
                                                            base::DocumentReporter& reporter);

}  // namespace millrace::plan
