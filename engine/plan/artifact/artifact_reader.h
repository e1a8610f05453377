#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/formats/json_document.h"
#include "plan/artifact/artifact.h"
#include "plan/problem.h"
#include "plan/reporter.h"

namespace millrace::plan {

/// Bounds on an artifact; each is a `too_large` when exceeded.
struct ArtifactLimits {
  std::size_t text_bytes_max = 8UL << 20;
  std::size_t node_count_max = 10'000;
  std::size_t input_count_max = 64;  ///< of one node
  std::size_t param_count_max = 64;  ///< of one node
  std::size_t constant_ids_max = 10'000;
  std::size_t output_count_max = 64;
  std::size_t name_bytes_max = 128;
  std::size_t string_bytes_max = 64UL << 10;
};

/// Reads the JSON of an artifact; what is wrong with the text itself goes to `report`.
[[nodiscard]] bool read_artifact_json(std::string_view bytes,
                                      const ArtifactLimits& limits,
                                      base::JsonDocument& document,
                                      ProblemReport& report);

/// Reads the fields of an artifact, strictly, in either spelling. Goes on after a problem, so that
/// the reporter gets all of them; what could not be read is left out.
/// Lifetime: the artifact borrows the document.
[[nodiscard]] Artifact read_artifact(const base::JsonDocument& document,
                                     const ArtifactLimits& limits,
                                     Reporter& reporter);

/// Adds what is wrong with a duration in whole milliseconds, 1 ms to one hour; nothing when absent.
[[nodiscard]] std::optional<base::Duration> read_milliseconds(base::JsonValue value,
                                                              const Where& where,
                                                              Reporter& reporter);

}  // namespace millrace::plan
