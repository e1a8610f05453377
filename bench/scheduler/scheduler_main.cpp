#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/result.h"
#include "runtime/sharing_prices.h"
#include "scheduler/bars.h"
#include "scheduler/engine.h"
#include "scheduler/options.h"
#include "scheduler/report.h"
#include "scheduler/result.h"
#include "scheduler/runner.h"
#include "scheduler/suite.h"
#include "support/child_process.h"

namespace millrace::bench {
namespace {

// A line that a child writes in addition to its results.
constexpr std::string_view kProgressFormat = "progress\t{}\t{}\n";

void print_names(const Options& options) {
  for (const EngineEntry& entry : engine_entries()) fmt::print("engine {}\n", entry.name);
  for (const Case& entry : choose_cases(options)) {
    fmt::print("case {} {} ({} nodes)\n", entry.name, entry.body, entry.shape.node_count());
  }
}

int run_child(const Options& options) {
  const Listener listener{
      .on_end = [](const MachineFacts& facts) { fmt::print("{}\n", encode(facts)); },
      .on_measurement = [](const Measurement& row) { fmt::print("{}\n", encode(row)); },
      .on_progress =
          [](Progress progress) {
            fmt::print(kProgressFormat, progress.done, progress.total);
            std::fflush(stdout);
          }};
  run_suite(options, listener);
  return EXIT_SUCCESS;
}

// Draws one progress bar over all processes; nothing if the output is not a terminal.
void draw_progress(Progress progress, unsigned process, unsigned processes) {
  if (isatty(STDERR_FILENO) == 0 || progress.total == 0) return;
  const double share =
      (process + static_cast<double>(progress.done) / static_cast<double>(progress.total)) /
      processes;
  constexpr int kWidth = 40;
  const int filled = static_cast<int>(share * kWidth);
  fmt::print(stderr,
             "\r[{:#<{}}{:.<{}}] {:3.0f} %  process {} of {}",
             "",
             filled,
             "",
             kWidth - filled,
             100 * share,
             process + 1,
             processes);
  if (share >= 1) fmt::print(stderr, "\r{:80}\r", "");
  std::fflush(stderr);
}

base::Result<ProcessResult> measure_in_child(const Options& options, unsigned process) {
  ProcessResult result;
  const auto on_line = [&](std::string_view line) {
    const std::string text(line);
    Progress progress;
    if (std::sscanf(text.c_str(), "progress\t%zu\t%zu", &progress.done, &progress.total) == 2) {
      draw_progress(progress, process, options.processes);
    } else if (auto measurement = decode(line)) {
      result.measurements.push_back(*std::move(measurement));
    } else if (const auto facts = decode_facts(line)) {
      result.machine = *facts;
    }
  };
  MR_TRY_STATUS(run_self(child_arguments(options), on_line));
  return result;
}

bool write_json(const Report& report) {
  if (report.options.json_file.empty()) return true;
  std::ofstream file(report.options.json_file);
  file << print_json(report);
  file.close();
  if (file) return true;
  fmt::print(stderr, "Cannot write {}\n", report.options.json_file);
  return false;
}

// Prints the cases that ran wrongly; returns true if there are none.
bool check_correct(const Report& report) {
  bool correct = true;
  for (const Summary& summary : report.summaries) {
    if (summary.joined.correct) continue;
    correct = false;
    fmt::print(stderr,
               "WRONG ORDER OR COUNT: {} on {} ({}, {} workers)\n",
               summary.joined.engine,
               summary.joined.shape,
               summary.joined.body,
               summary.joined.workers);
  }
  return correct;
}

base::Result<Report> measure_in_children(const Options& options) {
  std::vector<ProcessResult> processes;
  for (unsigned process = 0; process < options.processes; ++process) {
    MR_TRY(ProcessResult result, measure_in_child(options, process));
    processes.push_back(std::move(result));
  }
  Report report = make_report(options, std::move(processes));
  if (report.summaries.empty())
    return base::fail(base::ErrorCode::kNotFound, "No case or engine matches; see --list");
  return report;
}

/// What users get comes first: threads placed by the kernel. The full form measures the same with
/// pinned threads too.
base::Result<Report> measure(const Options& options) {
  MR_TRY(Report report, measure_in_children(options));
  if (!options.full || options.pin || options.unpinned || options.smoke) return report;
  Options pinned = options;
  pinned.pin = true;
  MR_TRY(const Report second, measure_in_children(pinned));
  report.pinned_bars = second.bars;
  return report;
}

int run_parent(const Options& options) {
  const base::Result<Report> measured = measure(options);
  if (!measured) {
    fmt::print(stderr, "{}\n", measured.error().to_string());
    return EXIT_FAILURE;
  }
  const Report& report = *measured;
  if (options.smoke) {
    fmt::print("{} cases and engines checked\n", report.summaries.size());
  } else {
    fmt::print("{}", print_text(report));
    const runtime::SharingPrices& prices = runtime::machine_prices();
    fmt::print("prices that millrace measured here: hand-over {} ns, wake {} ns, bundle {} ns\n",
               prices.hand_over.count(),
               prices.wake.count(),
               prices.bundle.count());
  }
  bool passed = check_correct(report);
  passed = write_json(report) && passed;
  const bool bars_met = std::ranges::all_of(report.bars, &Bar::passed);
  return passed && (bars_met || !options.enforce) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run(std::vector<std::string_view> arguments) {
  base::Result<Options> options = parse_options(arguments);
  if (!options) {
    fmt::print(stderr, "{}\n{}", options.error().to_string(), usage());
    return EXIT_FAILURE;
  }
  if (options->smoke) options->processes = 1;
  if (options->help) {
    fmt::print("{}", usage());
    return EXIT_SUCCESS;
  }
  if (options->list) {
    print_names(*options);
    return EXIT_SUCCESS;
  }
  return options->child ? run_child(*options) : run_parent(*options);
}

}  // namespace
}  // namespace millrace::bench

int main(int argc, char** argv) {
  return millrace::bench::run(std::vector<std::string_view>(argv + 1, argv + argc));
}
