#pragma once

#include <string_view>

#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "plan/artifact/artifact.h"
#include "plan/artifact/artifact_limits.h"
#include "plan/problem.h"

namespace millrace::plan {

/// Reads the JSON of an artifact. Adds what is wrong with the text itself to `report`, and then
/// returns false.
[[nodiscard]] bool read_artifact_json(std::string_view bytes,
                                      const ArtifactLimits& limits,
                                      base::JsonDocument& document,
                                      ProblemReport& report);

/// Reads the fields of an artifact, strictly, under either of their names. Goes on after a problem,
/// so that the report gets all of them; what could not be read is left out.
/// Lifetime: the artifact borrows the document.
[[nodiscard]] Artifact read_artifact(const base::JsonDocument& document,
                                     const ArtifactLimits& limits,
                                     base::DocumentReporter& reporter);

}  // namespace millrace::plan
