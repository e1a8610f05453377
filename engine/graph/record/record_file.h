#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>

#include "base/formats/json_reader.h"
#include "base/result.h"
#include "graph/format/graph_file.h"
#include "graph/run/run_options.h"

namespace millrace::graph {

/// What a record says before it is replayed.
struct RecordFile {
  std::string name = {};  ///< of the graph file
  std::string text = {};
  TextFormat format = TextFormat::kYaml;
  /// Bounds, snapshots and injections of the run.
  RuntimeRunnerOptions options = {};
  /// Whether outputs were handed over while it ran.
  bool hands_over = false;
  /// Why the run ended, as `to_string(SchedulerStopReason)` names it.
  std::string reason = {};
  std::uint64_t entry_count = 0;  ///< without the first line and the last
};

/// Bounds on the entries of a record.
[[nodiscard]] base::JsonLimits record_json_limits();

/// Most injections that a record may hold.
inline constexpr std::size_t kRecordInjectionsMax = 1'000'000;

/// Reads a record from begin to end and checks every line: its checksum, its form, and that the
/// last one says that it is complete. Errors name line and byte.
[[nodiscard]] base::Result<RecordFile> read_record(std::istream& stream);

}  // namespace millrace::graph
