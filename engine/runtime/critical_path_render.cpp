#include "runtime/critical_path_render.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "runtime/trace_text.h"

namespace millrace::runtime {
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
  // A node always shows at least one mark, the last column included.
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
    fmt::format_to(
        std::back_inserter(out),
        "{}{} {} |{}|{:>12}{}\n",
        marks.on_latency[node.node_index] ? 'L' : ' ',
        marks.on_service[node.node_index] ? 'S' : ' ',
        fit_columns(topology.nodes[node.node_index].id, kNameColumns, options.use_unicode),
        bar(node, scale, options.use_unicode),
        format_duration(node.end - node.start),
        node.status == SpanStatus::Ok ? "" : fmt::format(" {}", to_string(node.status)));
  }
  if (left_out > 0) fmt::format_to(std::back_inserter(out), "   ({} more nodes)\n", left_out);
}

void append_path(std::string& out,
                 const CriticalPath& path,
                 const TraceTopology& topology,
                 bool use_unicode) {
  const bool is_latency = path.measure == PathMeasure::kLatency;
  fmt::format_to(std::back_inserter(out),
                 "\nCritical path by {}, in ns\n{:>14}{:>14}{:>14}  node\n",
                 is_latency ? "latency (end - ready)" : "service (end - start)",
                 "waiting",
                 "queued",
                 "service");
  for (const PathStep& step : path.steps) {
    fmt::format_to(std::back_inserter(out),
                   "{:>14}{:>14}{:>14}  {}\n",
                   step.waiting.count(),
                   step.queued.count(),
                   step.service.count(),
                   fit_columns(topology.nodes[step.node_index].id, kNameColumns, use_unicode));
  }
  fmt::format_to(std::back_inserter(out),
                 "{:>14}{:>28}  (to the end of the run)\n"
                 "spans {} + gaps {} = latency {}\n",
                 path.final_gap.count(),
                 "",
                 path.span_total.count(),
                 path.gap_total.count(),
                 path.latency.count());
}

void append_json_path(std::string& out,
                      const CriticalPath& path,
                      const RunAnalysis& run,
                      const TraceTopology& topology) {
  out += "{\"steps\":[";
  for (const PathStep& step : path.steps) {
    if (&step != path.steps.data()) out += ',';
    fmt::format_to(std::back_inserter(out), "{{\"node_index\":{},\"node_id\":", step.node_index);
    append_json_string(out, topology.nodes[step.node_index].id);
    fmt::format_to(std::back_inserter(out),
                   ",\"status\":\"{}\",\"start_ns\":{},\"waiting_ns\":{},\"queued_ns\":{},"
                   "\"service_ns\":{}}}",
                   to_string(step.status),
                   (step.start - run.start).count(),
                   step.waiting.count(),
                   step.queued.count(),
                   step.service.count());
  }
  fmt::format_to(std::back_inserter(out),
                 "],\"final_gap_ns\":{},\"span_total_ns\":{},\"gap_total_ns\":{}}}",
                 path.final_gap.count(),
                 path.span_total.count(),
                 path.gap_total.count());
}

void append_json_nodes(std::string& out, const RunAnalysis& run, const TraceTopology& topology) {
  out += "\"nodes\":[";
  for (const TimedNode& node : run.nodes) {
    if (&node != run.nodes.data()) out += ',';
    fmt::format_to(std::back_inserter(out), "{{\"node_index\":{},\"node_id\":", node.node_index);
    append_json_string(out, topology.nodes[node.node_index].id);
    out += ",\"op\":";
    append_json_string(out, topology.nodes[node.node_index].op);
    fmt::format_to(std::back_inserter(out),
                   ",\"status\":\"{}\",\"ready_ns\":{},\"start_ns\":{},\"end_ns\":{}}}",
                   to_string(node.status),
                   (node.ready - run.start).count(),
                   (node.start - run.start).count(),
                   (node.end - run.start).count());
  }
  out += ']';
}

}  // namespace

std::string render_text(const RunAnalysis& run,
                        const TraceTopology& topology,
                        const WaterfallOptions& options) {
  std::string out = fmt::format("run 0x{:016x}  plan {}  {}  {}\n",
                                run.trace_id.value(),
                                fit_columns(topology.plan, kNameColumns, options.use_unicode),
                                to_string(run.status),
                                format_duration(run.end - run.start));
  append_waterfall(out, run, topology, options);
  append_path(out, run.latency_path, topology, options.use_unicode);
  append_path(out, run.service_path, topology, options.use_unicode);
  return out;
}

std::string render_json(const RunAnalysis& run, const TraceTopology& topology) {
  std::string out = fmt::format("{{\"trace_id\":\"0x{:016x}\",\"plan\":", run.trace_id.value());
  append_json_string(out, topology.plan);
  fmt::format_to(std::back_inserter(out),
                 ",\"status\":\"{}\",\"latency_ns\":{},",
                 to_string(run.status),
                 (run.end - run.start).count());
  append_json_nodes(out, run, topology);
  out += ",\"latency_path\":";
  append_json_path(out, run.latency_path, run, topology);
  out += ",\"service_path\":";
  append_json_path(out, run.service_path, run, topology);
  out += '}';
  return out;
}

}  // namespace millrace::runtime
