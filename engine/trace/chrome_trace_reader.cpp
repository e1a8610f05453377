#include "trace/chrome_trace_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"

namespace millrace::trace {
namespace {

using base::JsonValue;

// Trace files are large: about a hundred values per node.
constexpr base::JsonLimits kLimits{.text_bytes_max = std::size_t{1} << 30,
                                   .string_bytes_max = std::size_t{1} << 20,
                                   .value_count_max = 200'000'000,
                                   .depth_max = 16};

std::string text_member(JsonValue object, std::string_view name) {
  const auto member = object.find_member(name);
  return std::string(member ? member->find_string().value_or("") : "");
}

/// Times of the file are microseconds with three decimals, that is, whole nanoseconds.
base::Duration time_member(JsonValue object, std::string_view name) {
  const auto member = object.find_member(name);
  const double microseconds = member ? member->find_number().value_or(0) : 0;
  // Beyond a century the file is nonsense; a cast of such a number is undefined.
  const double nanoseconds = std::clamp(microseconds * 1000, -3e18, 3e18);
  return base::Duration(std::llround(nanoseconds));
}

/// Gathers the events of all runs of a file.
class TraceFile {
 public:
  void add(JsonValue event) {
    const std::string phase = text_member(event, "ph");
    const std::string category = text_member(event, "cat");
    if (phase == "M" && text_member(event, "name") == "thread_name") {
      if (const auto args = event.find_member("args"))
        threads_[thread_of(event)] = text_member(*args, "name");
    } else if (category == "run" && (phase == "b" || phase == "e")) {
      add_run(event, phase == "b");
    } else if (category == "node" && phase == "X") {
      add_node(event);
    } else if (category == "edge" && (phase == "s" || phase == "f")) {
      add_edge_end(event, phase == "s");
    }
  }

  std::vector<FiledRun> finish() {
    for (const auto& [id, edge] : edges_) connect(edge);
    std::vector<FiledRun> result;
    for (Entry& entry : runs_) {
      if (!entry.has_begin || !entry.has_end) continue;  // the file was cut
      result.push_back(make_run(entry));
    }
    return result;
  }

 private:
  struct NodeEntry {
    FiledNode node;  // its times are those of the file
    std::int64_t thread = 0;
    std::size_t order = 0;  // in the file
    std::vector<NodeEntry*> producers;
  };
  struct Entry {
    FiledRun run;
    base::Duration begin{};
    base::Duration end{};
    bool has_begin = false;
    bool has_end = false;
    std::vector<NodeEntry*> nodes;
  };
  struct Edge {
    NodeEntry* from = nullptr;
    NodeEntry* to = nullptr;
  };

  static std::int64_t thread_of(JsonValue event) {
    const auto thread = event.find_member("tid");
    return thread ? thread->find_int().value_or(0) : 0;
  }

  Entry& run_of(const std::string& trace_id) {
    const auto [place, is_new] = by_id_.try_emplace(trace_id, runs_.size());
    if (is_new) runs_.emplace_back().run.trace_id = trace_id;
    return runs_[place->second];
  }

  void add_run(JsonValue event, bool is_begin) {
    Entry& entry = run_of(text_member(event, "id"));
    (is_begin ? entry.begin : entry.end) = time_member(event, "ts");
    (is_begin ? entry.has_begin : entry.has_end) = true;
    entry.run.name = text_member(event, "name");
    if (const auto args = event.find_member("args"))
      entry.run.status = text_member(*args, "status");
  }

  void add_node(JsonValue event) {
    const auto args = event.find_member("args");
    if (!args) return;
    NodeEntry& entry = nodes_.emplace_back();
    entry.node.id = text_member(*args, "node_id");
    entry.node.op = text_member(*args, "op");
    entry.node.status = text_member(*args, "status");
    entry.node.begin = time_member(event, "ts");
    entry.node.end = entry.node.begin + time_member(event, "dur");
    entry.thread = thread_of(event);
    entry.order = nodes_.size();
    run_of(text_member(*args, "trace_id")).nodes.push_back(&entry);
    last_ = &entry;
  }

  /// The ends of arrows follow the node that they belong to.
  void add_edge_end(JsonValue event, bool is_start) {
    Edge& edge = edges_[text_member(event, "id")];
    (is_start ? edge.from : edge.to) = last_;
  }

  static void connect(const Edge& edge) {
    if (edge.from != nullptr && edge.to != nullptr && edge.from != edge.to)
      edge.to->producers.push_back(edge.from);
  }

  FiledRun make_run(Entry& entry) {
    FiledRun run = std::move(entry.run);
    run.duration = entry.end - entry.begin;
    std::ranges::sort(entry.nodes, {}, [](const NodeEntry* node) {
      return std::pair(node->node.begin, node->order);
    });
    std::map<const NodeEntry*, std::size_t> indices;
    for (std::size_t index = 0; index < entry.nodes.size(); ++index)
      indices[entry.nodes[index]] = index;
    for (NodeEntry* const node : entry.nodes) {
      FiledNode& filed = run.nodes.emplace_back(std::move(node->node));
      filed.begin -= entry.begin;
      filed.end -= entry.begin;
      filed.thread = threads_[node->thread];
      for (const NodeEntry* const producer : node->producers) {
        const auto index = indices.find(producer);
        // An arrow from another run, or from a later node, is none that the engine has drawn.
        if (index != indices.end() && index->second < run.nodes.size() - 1)
          filed.producers.push_back(index->second);
      }
    }
    return run;
  }

  std::map<std::int64_t, std::string> threads_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
  std::vector<Entry> runs_;
  std::deque<NodeEntry> nodes_;  // others point to its items
  std::map<std::string, Edge, std::less<>> edges_;
  NodeEntry* last_ = nullptr;
};

}  // namespace

base::Result<std::vector<FiledRun>> read_chrome_trace(std::string_view text) {
  const auto document = base::read_json(text, kLimits);
  if (!document) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      base::format("Not a trace file: line {}, column {}: {}",
                                   document.error().place.line,
                                   document.error().place.column,
                                   document.error().message));
  }
  const JsonValue root = document->root();
  const auto member = root.find_member("traceEvents");
  TraceFile file;
  for (const JsonValue event : (member ? *member : root).children()) file.add(event);
  std::vector<FiledRun> runs = file.finish();
  if (runs.empty()) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "No run in the file; `rankd --dump-run-trace FILE` writes files with runs");
  }
  return runs;
}

}  // namespace millrace::trace
