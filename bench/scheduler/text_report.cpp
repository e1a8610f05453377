#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "scheduler/bars.h"
#include "scheduler/report.h"
#include "scheduler/result.h"
#include "scheduler/shape.h"
#include "scheduler/statistics.h"
#include "scheduler/suite.h"

namespace millrace::bench {
namespace {

constexpr int kNameWidth = 16;
constexpr int kCellWidth = 22;
constexpr int kNarrowCellWidth = 18;
constexpr double kForeignShareMax = 0.03;

using Out = std::back_insert_iterator<std::string>;

struct Group {
  std::string body;
  unsigned workers;
};

std::string print_workers(unsigned workers) {
  return fmt::format("{} worker{}", workers, workers == 1 ? "" : "s");
}

template <class Value>
void add_once(std::vector<Value>& list, const Value& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

std::vector<const Summary*> select(const Report& report, const Group& group) {
  std::vector<const Summary*> chosen;
  for (const Summary& summary : report.summaries) {
    if (summary.joined.body == group.body && summary.joined.workers == group.workers) {
      chosen.push_back(&summary);
    }
  }
  return chosen;
}

const Summary* find_in(const std::vector<const Summary*>& rows,
                       std::string_view shape,
                       std::string_view engine) {
  const auto found = std::ranges::find_if(rows, [&](const Summary* row) {
    return row->joined.shape == shape && row->joined.engine == engine;
  });
  return found == rows.end() ? nullptr : *found;
}

// What a figure is compared with: the ideal where bodies take time, else the serial loop.
std::optional<double> reference_ns(const std::vector<const Summary*>& rows, const Summary& row) {
  if (row.joined.ideal_ns > 0) return row.joined.ideal_ns / row.joined.node_count;
  const Summary* serial = find_in(rows, row.joined.shape, "serial");
  if (serial == nullptr) return std::nullopt;
  return serial->node_ns();
}

std::string print_cell(const std::vector<const Summary*>& rows, const Summary* row) {
  if (row == nullptr) return "-";
  std::string cell =
      fmt::format("{:.4g} ±{:.0f}%", row->node_ns(), 100 * relative_spread(row->joined.dag_ns));
  if (const auto reference = reference_ns(rows, *row)) {
    cell += fmt::format(" {:5.2f}x", row->node_ns() / *reference);
  }
  return row->joined.correct ? cell : cell + " WRONG";
}

bool is_core(std::string_view shape) {
  return std::ranges::any_of(core_shapes(), [&](const Shape& core) { return core.name == shape; });
}

/// The geometric mean of an engine over the core shapes, and of its ratios.
std::string print_mean(const std::vector<const Summary*>& rows, std::string_view engine) {
  std::vector<double> values;
  std::vector<double> ratios;
  for (const Summary* row : rows) {
    if (row->joined.engine != engine || !is_core(row->joined.shape)) continue;
    values.push_back(row->node_ns());
    if (const auto reference = reference_ns(rows, *row))
      ratios.push_back(row->node_ns() / *reference);
  }
  if (values.empty()) return "-";
  std::string cell = fmt::format("{:.4g}", geometric_mean(values));
  if (!ratios.empty()) cell += fmt::format(" {:5.2f}x", geometric_mean(ratios));
  return cell;
}

/// One line for each body and number of workers.
void print_overview(Out out, const Report& report) {
  std::vector<std::string> engines;
  for (const Summary& summary : report.summaries) add_once(engines, summary.joined.engine);
  fmt::format_to(out,
                 "\nns per node, geometric mean over shapes; times the serial loop for empty "
                 "bodies, times the ideal for others\n{:<{}}",
                 "",
                 kNameWidth);
  for (const std::string& engine : engines) fmt::format_to(out, "{:>{}}", engine, kNarrowCellWidth);
  fmt::format_to(out, "\n");
  for (const unsigned workers : report.options.workers) {
    for (const BodyLength& body : core_bodies()) {
      const std::vector<const Summary*> rows =
          select(report, {.body = std::string(body.name), .workers = workers});
      if (rows.empty()) continue;
      fmt::format_to(
          out, "{:<{}}", fmt::format("{}, {}", body.name, print_workers(workers)), kNameWidth);
      for (const std::string& engine : engines)
        fmt::format_to(out, "{:>{}}", print_mean(rows, engine), kNarrowCellWidth);
      fmt::format_to(out, "\n");
    }
  }
}

void print_table(Out out, const std::vector<const Summary*>& rows, const Group& group) {
  std::vector<std::string> shapes;
  std::vector<std::string> engines;
  for (const Summary* row : rows) {
    add_once(shapes, row->joined.shape);
    add_once(engines, row->joined.engine);
  }
  fmt::format_to(out,
                 "\n{} bodies, {}: ns per node, spread, times {}\n{:<{}}",
                 group.body,
                 print_workers(group.workers),
                 group.body == "empty" ? "the serial loop" : "the ideal",
                 "",
                 kNameWidth);
  for (const std::string& engine : engines) fmt::format_to(out, "{:>{}}", engine, kCellWidth);
  fmt::format_to(out, "\n");
  for (const std::string& shape : shapes) {
    fmt::format_to(out, "{:<{}}", shape, kNameWidth);
    for (const std::string& engine : engines) {
      const std::string cell = print_cell(rows, find_in(rows, shape, engine));
      fmt::format_to(out, "{:>{}}", cell, kCellWidth);
    }
    fmt::format_to(out, "\n");
  }
  if (!std::ranges::any_of(shapes, is_core)) return;
  fmt::format_to(out, "{:<{}}", "geometric mean", kNameWidth);
  for (const std::string& engine : engines)
    fmt::format_to(out, "{:>{}}", print_mean(rows, engine), kCellWidth);
  fmt::format_to(out, "\n");
}

// Sixty-three widths are too many for a table, so show only where each engine is worst.
void print_narrow(Out out, const std::vector<const Summary*>& rows, const Group& group) {
  fmt::format_to(
      out, "\nsiblings of 1 ms, {} workers: time over ideal, all widths\n", group.workers);
  std::vector<std::string> engines;
  for (const Summary* row : rows) add_once(engines, row->joined.engine);
  for (const std::string& engine : engines) {
    for (const bool cold : {false, true}) {
      std::vector<double> ratios;
      const Summary* worst = nullptr;
      for (const Summary* row : rows) {
        if (row->joined.engine != engine || row->joined.shape.ends_with("_cold") != cold) continue;
        ratios.push_back(row->dag_ns / row->joined.ideal_ns);
        if (worst == nullptr || ratios.back() > worst->dag_ns / worst->joined.ideal_ns) {
          worst = row;
        }
      }
      if (worst == nullptr) continue;
      fmt::format_to(out,
                     "{:<{}} {:<5} median {:.3f}x, worst {:.3f}x ({})\n",
                     engine,
                     kNameWidth,
                     cold ? "cold" : "warm",
                     median(ratios),
                     worst->dag_ns / worst->joined.ideal_ns,
                     worst->joined.shape);
    }
  }
}

std::string print_value(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

void print_details(Out out, const Report& report) {
  fmt::format_to(out,
                 "\n{} in detail\n{:<{}}{:>8}{:>3}{:>12}{:>12}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
                 report.options.subject,
                 "",
                 kNameWidth,
                 "body",
                 "W",
                 "dags/s",
                 "allocs/run",
                 "wakes/run",
                 "inlined",
                 "queue ns",
                 "p50 us",
                 "p99 us");
  for (const Summary& summary : report.summaries) {
    const Measurement& joined = summary.joined;
    if (joined.engine != report.options.subject || joined.body == "1ms") continue;
    fmt::format_to(out,
                   "{:<{}}{:>8}{:>3}{:>12.4g}{:>12}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
                   joined.shape,
                   kNameWidth,
                   joined.body,
                   joined.workers,
                   1e9 / summary.dag_ns,
                   print_value(joined.allocs_per_run),
                   print_value(joined.wakes_per_run),
                   print_value(joined.inline_rate),
                   print_value(joined.queue_delay_ns),
                   print_value(joined.p50_us),
                   print_value(joined.p99_us));
  }
}

void print_bars(Out out, const Report& report) {
  const bool has_both = !report.pinned_bars.empty();
  const auto missed =
      std::ranges::count_if(report.bars, [](const Bar& bar) { return bar.value && !bar.passed(); });
  const auto measured =
      std::ranges::count_if(report.bars, [](const Bar& bar) { return bar.value.has_value(); });
  fmt::format_to(out,
                 "\n{} of {} bars missed by {}{}\n",
                 missed,
                 measured,
                 report.options.subject,
                 has_both ? "; the last column is the same with pinned threads" : "");
  for (std::size_t index = 0; index < report.bars.size(); ++index) {
    const Bar& bar = report.bars[index];
    const std::string_view verdict = !bar.value ? "----" : bar.passed() ? "pass" : "MISS";
    fmt::format_to(out,
                   "{}  {:<66}{:>10}  {} {:<5g}",
                   verdict,
                   bar.name,
                   print_value(bar.value),
                   bar.at_most ? "<=" : ">=",
                   bar.limit);
    if (has_both) fmt::format_to(out, "{:>10}", print_value(report.pinned_bars[index].value));
    fmt::format_to(out, "  {}\n", bar.where);
  }
}

double median_of(const Report& report, double MachineFacts::* field) {
  std::vector<double> values;
  values.reserve(report.processes.size());
  for (const ProcessResult& process : report.processes) values.push_back(process.machine.*field);
  return median(values);
}

void print_header(Out out, const Report& report) {
  fmt::format_to(out,
                 "{} processes x {} samples, threads {}; the 1 us body takes {:.0f} ns alone, "
                 "{:.0f} ns with all processors busy\n",
                 report.processes.size(),
                 report.options.repetitions,
                 report.options.pin ? "placed (--pin)" : "placed by the kernel, as users run",
                 median_of(report, &MachineFacts::spin_alone_ns),
                 median_of(report, &MachineFacts::spin_crowded_ns));
  const double foreign = median_of(report, &MachineFacts::foreign_share);
  if (foreign > kForeignShareMax) {
    fmt::format_to(
        out,
        "WARNING: others used {:.0f} % of the processors meanwhile; figures of 2 workers "
        "mean little\n",
        100 * foreign);
  }
}

}  // namespace

Report make_report(Options options, std::vector<ProcessResult> processes) {
  Report report;
  report.options = std::move(options);
  report.processes = std::move(processes);
  report.summaries = summarize(report.processes);
  report.bars = evaluate_bars(report.processes,
                              {.subject = report.options.subject, .full = report.options.full});
  return report;
}

std::string print_text(const Report& report) {
  std::string text;
  const Out out = std::back_inserter(text);
  print_header(out, report);
  print_overview(out, report);
  for (const std::string_view body : body_names()) {
    if (!report.options.tables) break;
    for (const unsigned workers : report.options.workers) {
      const Group group{.body = std::string(body), .workers = workers};
      const std::vector<const Summary*> rows = select(report, group);
      if (rows.empty()) continue;
      if (group.body == "1ms") {
        print_narrow(out, rows, group);
      } else {
        print_table(out, rows, group);
      }
    }
  }
  if (report.options.tables && std::ranges::any_of(report.summaries, [&](const Summary& summary) {
        return summary.joined.engine == report.options.subject;
      })) {
    print_details(out, report);
  }
  print_bars(out, report);
  return text;
}

}  // namespace millrace::bench
