#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/formats/json_document.h"
#include "plan/compiled_plan.h"
#include "plan/reporter.h"

// A plan artifact as it was written: fields have their types, names are not resolved yet.

namespace millrace::plan {

/// A name that stands in the artifact, with its place.
struct ArtifactName {
  std::string text = {};
  Where where = {};
};

/// An input: a slot, `$req.field`, or ids.
struct ArtifactInput {
  enum class Kind : std::uint8_t { kSlot, kRequest, kConstant };
  Kind kind = Kind::kSlot;
  std::string name;               ///< slot or field
  std::vector<std::int64_t> ids;  ///< of a constant
  Where where;
};

struct ArtifactFallback {
  OnFailure use = OnFailure::kFail;
  std::string node;  ///< of kUseNode
  Where where;
};

struct ArtifactParam {
  std::string name;
  base::JsonValue value;
  Where where;
};

struct ArtifactNode {
  ArtifactName id;
  ArtifactName op;
  Where where;
  std::vector<ArtifactInput> inputs;
  std::vector<ArtifactName> slots;  ///< its id when it lists no outputs
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
