#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "base/text_place.h"
#include "plan/artifact/artifact.h"
#include "plan/artifact/artifact_limits.h"

namespace millrace::plan {

/// Where each node stands in the `.plan.ts`, by id.
using SpanTable = std::map<std::string, base::SourceRange>;

/// What the reading of every node needs.
/// Lifetime: borrows all of it.
struct NodeContext {
  const ArtifactLimits& limits;
  const SpanTable& spans;
  base::DocumentReporter& reporter;
};

/// Reads one node of an artifact and appends it to `nodes`; a value that is no object is reported
/// and left out. Problems of a node are placed in the `.plan.ts` if `spans` has it.
void read_node(base::JsonValue json,
               const base::ValuePlace& place,
               const NodeContext& context,
               std::vector<ArtifactNode>& nodes);

}  // namespace millrace::plan
