#include <cstdio>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "bench/rows/contest.h"
#include "bench/rows/contests.h"
#include "bench/rows/report.h"
#include "bench/rows/rival_process.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace): this file is the program

constexpr std::string_view kUsage =
    "Usage: bench_rows [--json FILE] [--commit ID] [--case NAME] [--reps N] [--no-rivals] "
    "[--smoke]\n"
    "  --json FILE   also write the rows and bars as JSON\n"
    "  --commit ID   what is measured, for the JSON\n"
    "  --case NAME   only cases whose name begins with NAME\n"
    "  --reps N      turns that are measured (default 7)\n"
    "  --no-rivals   leave out DuckDB and Polars, which need node and npm\n"
    "  --smoke       tiny sizes and no rivals: checks the answers, measures nothing\n";

struct Options {
  std::string json_file;
  std::string commit;
  std::string case_name;
  std::size_t repetitions = 7;
  bool rivals = true;
  bool smoke = false;
  bool help = false;
};

base::Result<Options> parse(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    if (name == "--no-rivals") {
      options.rivals = false;
    } else if (name == "--smoke") {
      options.smoke = true;
    } else if (name == "--help" || name == "-h") {
      options.help = true;
    } else if (name == "--json" && has_value) {
      options.json_file = arguments[++i];
    } else if (name == "--commit" && has_value) {
      options.commit = arguments[++i];
    } else if (name == "--case" && has_value) {
      options.case_name = arguments[++i];
    } else if (name == "--reps" && has_value) {
      options.repetitions = std::max(1UL, std::strtoul(arguments[++i], nullptr, 10));
    } else {
      return base::fail(base::ErrorCode::kInvalidArgument,
                        "Unknown option or missing value: " + std::string(name),
                        "command line");
    }
  }
  return options;
}

bench::ContestSetup make_setup(bool smoke, bench::RivalProcess* rivals) {
  if (smoke) {
    return {.pipeline_rows = {0, 1, 200},
            .set_rows = 300,
            .distinct_counts = {1, 100},
            .regex_rows = {200, 400}};
  }
  return {.pipeline_rows = {100, 1000, 10'000, 100'000},
          .set_rows = 10'000,
          .distinct_counts = {1, 10, 100, 1000, 10'000},
          .regex_rows = {1000, 100'000},
          .rivals = rivals};
}

base::Result<std::vector<bench::Measured>> run(const Options& options,
                                               bench::RivalProcess* rivals) {
  bench::MeasureOptions measure{.repetitions = options.repetitions};
  if (options.smoke) measure = {.repetitions = 1, .sample_ms = 0};
  std::vector<bench::Measured> results;
  const auto on_contest = [&](const bench::Contest& contest) -> base::Status {
    if (!contest.name.starts_with(options.case_name)) return {};
    MR_TRY(const std::vector<bench::Measured> measured, bench::measure(contest, measure));
    results.insert(results.end(), measured.begin(), measured.end());
    return {};
  };
  const bench::ContestSetup setup = make_setup(options.smoke, rivals);
  MR_TRY_STATUS(bench::run_pipeline_contests(setup, on_contest));
  MR_TRY_STATUS(bench::run_set_contests(setup, on_contest));
  return results;
}

base::Status run_and_report(const Options& options) {
  std::unique_ptr<bench::RivalProcess> rivals;
  if (options.rivals && !options.smoke) {
    base::Result<std::unique_ptr<bench::RivalProcess>> started =
        bench::RivalProcess::start(MR_BENCH_RIVALS_FOLDER);
    if (started) {
      rivals = *std::move(started);
    } else {
      std::fprintf(stderr, "Without DuckDB and Polars: %s\n", started.error().to_string().c_str());
    }
  }
  MR_TRY(const std::vector<bench::Measured> results, run(options, rivals.get()));
  const std::vector<bench::Bar> bars = bench::make_bars(results);
  std::fputs(bench::print_text(results, bars).c_str(), stdout);
  if (options.json_file.empty()) return {};
  std::ofstream file(options.json_file);
  file << bench::print_json(results, bars, options.commit);
  file.close();
  if (file) return {};
  return base::fail(base::ErrorCode::kUnavailable, "Cannot write", options.json_file);
}

}  // namespace

int main(int argument_count, char** arguments) {
  const base::Result<Options> options =
      parse(std::span(arguments, static_cast<std::size_t>(argument_count)).subspan(1));
  if (!options) {
    std::fprintf(stderr, "%s\n%s", options.error().to_string().c_str(), kUsage.data());
    return 2;
  }
  if (options->help) {
    std::fputs(kUsage.data(), stdout);
    return 0;
  }
  const base::Status status = run_and_report(*options);
  if (!status) std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
  return status ? 0 : 1;
}
