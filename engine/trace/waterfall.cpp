#include "trace/waterfall.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "trace/trace_text.h"

namespace millrace::trace {
namespace {

constexpr std::size_t kColumnsMin = 60;
constexpr std::size_t kNameColumnsMax = 28;
constexpr std::size_t kDurationColumns = 12;

/// Where nodes stand in the picture.
struct Layout {
  std::size_t names = 0;
  std::size_t bars = 0;
  base::Duration total{};
};

Layout lay_out(const FiledRun& run, std::size_t columns) {
  std::size_t names = 4;
  for (const FiledNode& node : run.nodes)
    names = std::max(names, node.id.size() + node.op.size() + 3);
  names = std::min(names, kNameColumnsMax);
  columns = std::max(columns, kColumnsMin);
  base::Duration total = run.duration;
  for (const FiledNode& node : run.nodes) total = std::max(total, node.end);
  // Mark, name, bar between two marks, duration.
  return {.names = names,
          .bars = columns - names - kDurationColumns - 6,
          .total = std::max(total, base::Duration(1))};
}

std::string bar_of(const FiledNode& node, const Layout& layout, bool use_unicode) {
  const auto column = [&](base::Duration time) {
    const double share = static_cast<double>(std::max(time, base::Duration(0)).count()) /
                         static_cast<double>(layout.total.count());
    return std::min(static_cast<std::size_t>(share * static_cast<double>(layout.bars)),
                    layout.bars - 1);
  };
  const std::size_t begin = column(node.begin);
  const std::size_t end = std::max(column(node.end - base::Duration(1)), begin);
  std::string bar(begin, ' ');
  // A node that takes less than a column is still to be seen.
  for (std::size_t index = begin; index <= end; ++index) bar += use_unicode ? "█" : "#";
  return bar + std::string(layout.bars - end - 1, ' ');
}

std::string share_of(base::Duration part, base::Duration whole) {
  if (whole.count() <= 0) return "";
  return base::format(
      "{:>5.1f} %", 100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count()));
}

void append_path(const FiledRun& run, const FiledPath& path, std::string& out) {
  base::Duration ran{};
  base::Duration waited{};
  out += "critical path: ";
  for (std::size_t index = 0; index < path.steps.size(); ++index) {
    const FiledStep& step = path.steps[index];
    ran += step.ran;
    waited += step.waited;
    out += base::format("{}{}", index == 0 ? "" : " > ", cut_columns(run.nodes[step.node].id, 24));
  }
  const auto line = [&](std::string_view name, base::Duration time) {
    out += base::format(
        "  {:<24}{:>12} {}\n", name, format_duration(time), share_of(time, run.duration));
  };
  out += "\n";
  line("nodes ran", ran);
  line("nodes waited to run", waited);
  line("after the last node", path.after);
  line("together", ran + waited + path.after);
}

}  // namespace

FiledPath find_path(const FiledRun& run) {
  FiledPath path;
  const auto ends_first = [&](std::size_t left, std::size_t right) {
    return run.nodes[left].end < run.nodes[right].end;
  };
  // What ends after the answer did not delay it.
  std::vector<std::size_t> candidates;
  for (std::size_t index = 0; index < run.nodes.size(); ++index) {
    if (run.nodes[index].end <= run.duration) candidates.push_back(index);
  }
  while (!candidates.empty()) {
    const std::size_t node = *std::ranges::max_element(candidates, ends_first);
    path.steps.push_back({.node = node});
    candidates = run.nodes[node].producers;
  }
  std::ranges::reverse(path.steps);
  base::Duration time{};
  for (FiledStep& step : path.steps) {
    const FiledNode& node = run.nodes[step.node];
    // A reading of the clock may serve the end of one node and the begin of the next.
    const base::Duration begin = std::max(node.begin, time);
    step.waited = begin - time;
    step.ran = std::max(node.end, begin) - begin;
    time = begin + step.ran;
  }
  path.after = run.duration - time;
  return path;
}

std::string draw_waterfall(const FiledRun& run, const WaterfallOptions& options) {
  const Layout layout = lay_out(run, options.columns);
  const FiledPath path = find_path(run);
  const std::string_view edge = options.use_unicode ? "▏" : "|";
  std::string out = base::format("{} {}: {} in {}\n",
                                 cut_columns(run.name, 60, options.use_unicode),
                                 run.trace_id,
                                 run.status.empty() ? "ended" : run.status,
                                 format_duration(run.duration));
  for (std::size_t index = 0; index < run.nodes.size(); ++index) {
    const FiledNode& node = run.nodes[index];
    const bool is_on_path =
        std::ranges::any_of(path.steps, [&](const FiledStep& step) { return step.node == index; });
    const std::string name = base::format("{} ({})", node.id, node.op);
    out += base::format("{} {} {}{}{}{:>12}{}\n",
                        is_on_path ? '*' : ' ',
                        fit_columns(name, layout.names, options.use_unicode),
                        edge,
                        bar_of(node, layout, options.use_unicode),
                        edge,
                        format_duration(node.end - node.begin),
                        node.status.empty() || node.status == "ok" ? "" : "  " + node.status);
  }
  append_path(run, path, out);
  return out;
}

}  // namespace millrace::trace
