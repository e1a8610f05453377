#pragma once

#include <optional>
#include <string_view>

#include "plan/artifact/artifact_limits.h"

namespace millrace::plan {

/// Says which passes run, and how large an artifact may be.
struct CompileOptions {
  bool remove_dead_nodes = true;
  bool prune_columns = true;
  bool merge_fetches = true;
  bool merge_filters = true;
  bool use_top_k = true;
  /// Never merges two nodes into one, so that an explanation can name the node that dropped a row.
  bool for_explain = false;
  ArtifactLimits limits{};

  /// Gives options under which no pass runs.
  [[nodiscard]] static CompileOptions without_passes() {
    return {.remove_dead_nodes = false,
            .prune_columns = false,
            .merge_fetches = false,
            .merge_filters = false,
            .use_top_k = false};
  }
};

/// Names of the passes as `parse_passes` takes them, for messages.
inline constexpr std::string_view kPassNames = "dead_nodes, columns, equal_nodes, filters, top_k";

/// Gives options under which the named passes run and no others: names with commas between, `off`
/// for none, `on` for all. Gives nothing if a name is not known.
[[nodiscard]] std::optional<CompileOptions> parse_passes(std::string_view text);

}  // namespace millrace::plan
