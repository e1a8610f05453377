#include "trace/critical_path_render.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "trace/critical_path.h"
#include "trace/trace.h"
#include "trace/trace_record.h"
#include "trace/trace_text.h"

namespace millrace::trace {
namespace {

constexpr std::size_t kNameColumns = 24;
constexpr std::size_t kTimeColumns = 12;

/// Which of the two paths each node is on.
struct Marks {
  explicit Marks(const RunAnalysis& run, std::size_t node_count)
      : on_latency(node_count, false), on_service(node_count, false) {
    for (const PathStep& step : run.latency_path.steps) on_latency[step.node_index] = true;
    for (const PathStep& step : run.service_path.steps) on_service[step.node_index] = true;
  }
  [[nodiscard]] bool any(std::uint32_t node) const { return on_latency[node] || on_service[node]; }

  std::vector<bool> on_latency;
  std::vector<bool> on_service;
};

/// Maps the time of a run to columns of a bar.
class Scale {
 public:
  Scale(const RunAnalysis& run, std::size_t columns)
      : start_(run.start), latency_(run.end - run.start), columns_(columns) {}

  [[nodiscard]] std::size_t column(base::TimePoint time) const {
    if (latency_.count() == 0) return 0;
    const double share =
        static_cast<double>((time - start_).count()) / static_cast<double>(latency_.count());
    return std::min(columns_, static_cast<std::size_t>(share * static_cast<double>(columns_)));
  }
  [[nodiscard]] std::size_t columns() const { return columns_; }

 private:
  base::TimePoint start_;
  base::Duration latency_;
  std::size_t columns_;
};

std::string bar(const TimedNode& node, const Scale& scale, bool use_unicode) {
  const std::size_t ready = scale.column(node.ready);
  // A node always shows at least one mark, even in the last column.
  const std::size_t start = std::min(scale.column(node.start), scale.columns() - 1);
  const std::size_t end = std::max(scale.column(node.end), start + 1);
  std::string text;
  for (std::size_t column = 0; column < scale.columns(); ++column) {
    if (column >= start && column < end) {
      text += use_unicode ? "█" : "#";
    } else if (column >= ready && column < start) {
      text += use_unicode ? "·" : ".";
    } else {
      text += ' ';
    }
  }
  return text;
}

void append_waterfall(std::string& out,
                      const RunAnalysis& run,
                      const TraceTopology& topology,
                      const WaterfallOptions& options) {
  const std::size_t width = std::max<std::size_t>(options.width, 60);
  const Scale scale(run, width - kNameColumns - kTimeColumns - 6);
  const Marks marks(run, topology.nodes.size());
  std::size_t drawn = 0;
  std::size_t left_out = 0;
  for (const TimedNode& node : run.nodes) {
    if (drawn >= options.rows_max && !marks.any(node.node_index)) {
      ++left_out;
      continue;
    }
    ++drawn;
    base::format_to(
        std::back_inserter(out),
        "{}{} {} |{}|{:>12}{}\n",
        marks.on_latency[node.node_index] ? 'L' : ' ',
        marks.on_service[node.node_index] ? 'S' : ' ',
        fit_columns(topology.nodes[node.node_index].id, kNameColumns, options.use_unicode),
        bar(node, scale, options.use_unicode),
        format_duration(node.end - node.start),
        node.status == SpanStatus::Ok ? "" : base::format(" {}", to_string(node.status)));
  }
  if (left_out > 0) base::format_to(std::back_inserter(out), "   ({} more nodes)\n", left_out);
}

void append_path(std::string& out,
                 const CriticalPath& path,
                 const TraceTopology& topology,
                 bool use_unicode) {
  const bool is_latency = path.measure == PathMeasure::kLatency;
  base::format_to(std::back_inserter(out),
                  "\nCritical path by {}, in ns\n{:>14}{:>14}{:>14}  node\n",
                  is_latency ? "latency (end - ready)" : "service (end - start)",
                  "waiting",
                  "queued",
                  "service");
  for (const PathStep& step : path.steps) {
    base::format_to(std::back_inserter(out),
                    "{:>14}{:>14}{:>14}  {}\n",
                    step.waiting.count(),
                    step.queued.count(),
                    step.service.count(),
                    cut_columns(topology.nodes[step.node_index].id, kNameColumns, use_unicode));
  }
  base::format_to(std::back_inserter(out),
                  "{:>14}{:>28}  (to the end of the run)\n"
                  "spans {} + gaps {} = latency {}\n",
                  path.final_gap.count(),
                  "",
                  path.span_total.count(),
                  path.gap_total.count(),
                  path.latency.count());
}

void write_path(base::JsonWriter& json,
                const CriticalPath& path,
                const RunAnalysis& run,
                const TraceTopology& topology) {
  json.begin_object();
  json.key("steps");
  json.begin_array();
  for (const PathStep& step : path.steps) {
    json.begin_object();
    json.member("node_index", step.node_index);
    json.member("node_id", topology.nodes[step.node_index].id);
    json.member("status", to_string(step.status));
    json.member("start_ns", (step.start - run.start).count());
    json.member("waiting_ns", step.waiting.count());
    json.member("queued_ns", step.queued.count());
    json.member("service_ns", step.service.count());
    json.end_object();
  }
  json.end_array();
  json.member("final_gap_ns", path.final_gap.count());
  json.member("span_total_ns", path.span_total.count());
  json.member("gap_total_ns", path.gap_total.count());
  json.end_object();
}

void write_node(base::JsonWriter& json,
                const TimedNode& node,
                const RunAnalysis& run,
                const TraceTopology& topology) {
  json.begin_object();
  json.member("node_index", node.node_index);
  json.member("node_id", topology.nodes[node.node_index].id);
  json.member("op", topology.nodes[node.node_index].op);
  json.member("status", to_string(node.status));
  json.member("ready_ns", (node.ready - run.start).count());
  json.member("start_ns", (node.start - run.start).count());
  json.member("end_ns", (node.end - run.start).count());
  json.end_object();
}

}  // namespace

std::string render_text(const RunAnalysis& run,
                        const TraceTopology& topology,
                        const WaterfallOptions& options) {
  std::string out = base::format("run 0x{:016x}  plan {}  {}  {}\n",
                                 run.trace_id.value(),
                                 cut_columns(topology.plan, kNameColumns, options.use_unicode),
                                 to_string(run.status),
                                 format_duration(run.end - run.start));
  append_waterfall(out, run, topology, options);
  append_path(out, run.latency_path, topology, options.use_unicode);
  append_path(out, run.service_path, topology, options.use_unicode);
  return out;
}

std::string render_json(const RunAnalysis& run, const TraceTopology& topology) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("trace_id", base::format("0x{:016x}", run.trace_id.value()));
  json.member("plan", topology.plan);
  json.member("status", to_string(run.status));
  json.member("latency_ns", (run.end - run.start).count());
  json.key("nodes");
  json.begin_array();
  for (const TimedNode& node : run.nodes) write_node(json, node, run, topology);
  json.end_array();
  json.key("latency_path");
  write_path(json, run.latency_path, run, topology);
  json.key("service_path");
  write_path(json, run.service_path, run, topology);
  json.end_object();
  return out;
}

}  // namespace millrace::trace
