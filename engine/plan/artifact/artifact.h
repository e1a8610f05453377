#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "plan/compiled_plan.h"

// A plan artifact after reading: fields have their types, but names are not resolved yet.

namespace millrace::plan {

/// A name that stands in the artifact, with its place.
struct ArtifactName {
  std::string text = {};
  base::ValuePlace where = {};
};

/// An input: a slot, `$req.field`, or ids.
struct ArtifactInput {
  enum class Kind : std::uint8_t { kSlot, kRequest, kConstant };
  Kind kind = Kind::kSlot;
  std::string name;               ///< slot or field
  std::vector<std::int64_t> ids;  ///< of a constant
  base::ValuePlace where;
};

struct ArtifactFallback {
  OnFailure use = OnFailure::kFail;
  std::string node;  ///< of kUseNode
  base::ValuePlace where;
};

struct ArtifactParam {
  std::string name;
  base::JsonValue value;
  base::ValuePlace where;
};

struct ArtifactNode {
  ArtifactName id;
  ArtifactName op;
  base::ValuePlace where;
  std::vector<ArtifactInput> inputs;
  std::vector<ArtifactName> slots;  ///< the node's id if the artifact lists no outputs
  std::vector<ArtifactParam> params;
  std::optional<bool> inline_hint;
  base::Duration cost_estimate{};
  std::optional<base::Duration> timeout;
  std::optional<PlanPriority> priority;
  ArtifactFallback on_failure;
  RowErrorRule on_row_error = RowErrorRule::kNull;
  bool trace = true;
};

/// Lifetime: params borrow the document it was read from.
struct Artifact {
  ArtifactName name;
  std::string version;
  FragmentVersions fragments;
  std::string variant_of;
  std::vector<ArtifactNode> nodes;
  std::vector<ArtifactName> outputs;
  std::optional<std::vector<ArtifactName>> output_keys;
  std::optional<base::Duration> reserve;
};

}  // namespace millrace::plan
