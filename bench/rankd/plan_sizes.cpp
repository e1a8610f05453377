#include "bench/rankd/plan_sizes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "apps/rankd/extensions.h"
#include "apps/rankd/request_repeater.h"
#include "base/format.h"
#include "bench/rankd/bench_project.h"
#include "bench/rankd/hand_written.h"
#include "host/engine.h"
#include "host/project.h"
#include "host/settings.h"
#include "plan/compiled_plan.h"
#include "rank/loaded_plan.h"
#include "rank/plan_set.h"
#include "support/child_process.h"
#include "support/figures.h"

namespace millrace::bench {
namespace {

constexpr std::string_view kSizedPlan = "sized";
constexpr std::string_view kResultLine = "cell";
constexpr std::string_view kAnswerLine = "answer";
constexpr double kBusyRatioMax = 1.15;
constexpr double kSecondThreadRatioMax = 1.1;
constexpr double kLongChainMbMax = 100;

std::string_view name_of(PlanShape shape) { return shape == PlanShape::kChain ? "chain" : "wide"; }

std::string name_of(const SizeCell& cell) {
  return base::format("{} of {}, {} in flight, {} thread{}",
                      name_of(cell.shape),
                      cell.node_count,
                      cell.in_flight,
                      cell.threads,
                      cell.threads == 1 ? "" : "s");
}

double to_us(base::Duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

double quantile_us(const std::vector<base::Duration>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto index = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
  return to_us(sorted[index]);
}

double most_memory_mb() {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Bars are ratios within one pass over all cells, then the median over the passes.
constexpr int kPasses = 5;

/// How many requests to send per round: about as much work for every plan, and enough to keep as
/// many under way as asked.
std::int64_t requests_per_round(const SizeCell& cell, bool smoke) {
  const std::int64_t work = smoke ? 500 : 120'000;
  return std::max(work / cell.node_count, 2 * cell.in_flight);
}

base::Result<SizeResult> measure_cell(const SizeCell& cell, bool smoke) {
  MR_TRY(const auto folder, TempFolder::make());
  MR_TRY_STATUS(write_project(folder->path(), {}));
  const std::string file = folder->path() + "/" + std::string(kSizedPlan) + ".plan.json";
  MR_TRY_STATUS(write_file(file, make_sized_plan(cell.shape, cell.node_count)));
  host::Settings settings;
  settings.root = folder->path();
  settings.plan_files = {file};
  settings.plan_name = kSizedPlan;
  settings.cpu_threads = cell.threads;
  // What is measured is the cost of what is let in: 256 wide requests are more nodes than rankd
  // lets be ready by default.
  settings.high_water = 1'000'000;
  const auto failed = [](const host::StartError& error) {
    return base::fail(base::ErrorCode::kUnavailable, error.text);
  };
  auto project = host::Project::open(settings, rankd::rankd_extensions());
  if (!project) return failed(project.error());
  auto engine = host::Engine::start(settings, **project);
  if (!engine) return failed(engine.error());
  const auto& nodes = (*engine)->plans().default_plan()->plan().nodes;
  if (std::ssize(nodes) != cell.node_count) {
    return base::fail(base::ErrorCode::kInternal,
                      base::format("The plan has {} nodes left of {}: it does not measure what it "
                                   "says",
                                   nodes.size(),
                                   cell.node_count));
  }

  rankd::RequestRepeater repeater(**engine, cell.in_flight);
  SizeResult result;
  std::vector<double> cpu_us;
  std::vector<base::Duration> latencies;
  const std::int64_t count = requests_per_round(cell, smoke);
  // The first round warms up and is not counted.
  for (int round = 0; round <= (smoke ? 1 : 2); ++round) {
    const rankd::Repeated repeated = repeater.run(R"({"user_id": 1})", count);
    if (repeated.failed + repeated.refused != 0)
      return base::fail(base::ErrorCode::kInternal, "A request failed: " + repeated.first_error);
    if (round == 0) continue;
    cpu_us.push_back(to_us(repeated.cpu) / static_cast<double>(count));
    latencies.insert(latencies.end(), repeated.latencies.begin(), repeated.latencies.end());
    result.answer = without_own_facts(repeated.last_response);
  }
  std::ranges::sort(latencies);
  result.cpu_us = median(cpu_us);
  result.p50_us = quantile_us(latencies, 0.5);
  result.p99_us = quantile_us(latencies, 0.99);
  result.rss_mb = most_memory_mb();
  return result;
}

base::Result<SizeResult> measure_in_child(const SizeCell& cell, bool smoke) {
  SizeResult result;
  bool complete = false;
  MR_TRY_STATUS(run_self({std::string(kCellArgument),
                          std::string(name_of(cell.shape)),
                          std::to_string(cell.node_count),
                          std::to_string(cell.in_flight),
                          std::to_string(cell.threads),
                          smoke ? "1" : "0"},
                         [&](std::string_view line) {
                           const std::string text(line);
                           if (line.starts_with(kAnswerLine)) {
                             result.answer = text.substr(kAnswerLine.size() + 1);
                           } else if (std::sscanf(text.c_str(),
                                                  "cell\t%lf\t%lf\t%lf\t%lf",
                                                  &result.cpu_us,
                                                  &result.p50_us,
                                                  &result.p99_us,
                                                  &result.rss_mb) == 4) {
                             complete = true;
                           }
                         }));
  if (complete && !result.answer.empty()) return result;
  return base::fail(base::ErrorCode::kInternal, "The measuring process gave no result");
}

using Results = std::map<std::string, SizeResult>;  // of one pass, by name of the cell

/// The median over the passes of what `value` gives for each; nothing if one has nothing.
template <class Value>
std::optional<double> median_over(const std::vector<Results>& passes, Value value) {
  std::vector<double> values;
  for (const Results& pass : passes) {
    const std::optional<double> one = value(pass);
    if (!one) return std::nullopt;
    values.push_back(*one);
  }
  return median(values);
}

std::optional<double> value_of(const Results& pass,
                               const SizeCell& cell,
                               double SizeResult::* value) {
  const auto found = pass.find(name_of(cell));
  return found == pass.end() ? std::nullopt : std::optional(found->second.*value);
}

void judge_ratio(const std::vector<Results>& passes,
                 const std::string& name,
                 std::pair<SizeCell, SizeCell> cells,
                 double SizeResult::* value,
                 std::vector<Figure>& figures) {
  const std::optional<double> ratio =
      median_over(passes, [&](const Results& pass) -> std::optional<double> {
        const auto above = value_of(pass, cells.first, value);
        const auto below = value_of(pass, cells.second, value);
        if (!above || !below) return std::nullopt;
        return *above / *below;
      });
  const double limit = value == &SizeResult::cpu_us ? kBusyRatioMax : kSecondThreadRatioMax;
  if (ratio) figures.push_back({name, *ratio, "x", limit});
}

void judge(const std::vector<Results>& passes,
           const std::vector<std::int64_t>& sizes,
           std::vector<Figure>& figures) {
  for (const PlanShape shape : {PlanShape::kChain, PlanShape::kWide}) {
    for (const std::int64_t size : sizes) {
      const std::string plan = base::format("{} of {}", name_of(shape), size);
      for (const std::uint32_t threads : {1U, 2U}) {
        judge_ratio(passes,
                    base::format("{}, threads: {}, CPU, 64 in flight / 1", plan, threads),
                    {{shape, size, 64, threads}, {shape, size, 1, threads}},
                    &SizeResult::cpu_us,
                    figures);
      }
      judge_ratio(passes,
                  plan + ", 1 in flight: p50, 2 threads / 1",
                  {{shape, size, 1, 2}, {shape, size, 1, 1}},
                  &SizeResult::p50_us,
                  figures);
    }
  }
  for (const std::uint32_t threads : {1U, 2U}) {
    const SizeCell longest{PlanShape::kChain, 1000, 256, threads};
    const auto memory = median_over(
        passes, [&](const Results& pass) { return value_of(pass, longest, &SizeResult::rss_mb); });
    if (memory)
      figures.push_back({name_of(longest) + ": most memory", *memory, "MB", kLongChainMbMax});
  }
}

/// The medians of every value of a cell.
SizeResult join(const std::vector<Results>& passes, const SizeCell& cell) {
  SizeResult joined;
  for (double SizeResult::* const value :
       {&SizeResult::cpu_us, &SizeResult::p50_us, &SizeResult::p99_us, &SizeResult::rss_mb}) {
    joined.*value = median_over(passes, [&](const Results& pass) {
                      return value_of(pass, cell, value);
                    }).value_or(0);
  }
  return joined;
}

void print_row(const SizeCell& cell, const SizeResult& result) {
  std::printf("%-6s%6lld%10lld%9u%12.1f%12.1f%12.1f%10.1f\n",
              std::string(name_of(cell.shape)).c_str(),
              static_cast<long long>(cell.node_count),
              static_cast<long long>(cell.in_flight),
              cell.threads,
              result.cpu_us,
              result.p50_us,
              result.p99_us,
              result.rss_mb);
}

void add_cells(const SizeCell& cell, const SizeResult& result, std::vector<Figure>& cells) {
  const std::string name = name_of(cell);
  cells.push_back({name + ": CPU per request", result.cpu_us, "us"});
  cells.push_back({name + ": p50", result.p50_us, "us"});
  cells.push_back({name + ": p99", result.p99_us, "us"});
  cells.push_back({name + ": most memory", result.rss_mb, "MB"});
}

std::vector<SizeCell> list_cells(const std::vector<std::int64_t>& sizes,
                                 const std::vector<std::int64_t>& in_flight) {
  std::vector<SizeCell> cells;
  for (const PlanShape shape : {PlanShape::kChain, PlanShape::kWide}) {
    for (const std::int64_t size : sizes) {
      for (const std::int64_t concurrent : in_flight) {
        for (const std::uint32_t threads : {1U, 2U})
          cells.push_back({shape, size, concurrent, threads});
      }
    }
  }
  return cells;
}

/// Measures every cell once. Fails if cells of one plan give different answers.
base::Result<Results> measure_pass(const std::vector<SizeCell>& cells, bool smoke, int pass) {
  Results results;
  std::map<std::string, std::string> answers;  // by plan
  std::size_t done = 0;
  for (const SizeCell& cell : cells) {
    if (!smoke && isatty(STDERR_FILENO) != 0)
      std::fprintf(stderr, "\rpass %d of %d: %zu of %zu ", pass, kPasses, done++, cells.size());
    MR_TRY(SizeResult result, measure_in_child(cell, smoke));
    const auto [first, is_first] = answers.emplace(
        base::format("{} of {}", name_of(cell.shape), cell.node_count), result.answer);
    if (result.answer != first->second) {
      return base::fail(base::ErrorCode::kInternal,
                        base::format("Answers differ.\n{}\n{}", first->second, result.answer),
                        name_of(cell));
    }
    results.emplace(name_of(cell), std::move(result));
  }
  return results;
}

base::Result<std::int64_t> parse_number(const char* text) {
  std::int64_t value = 0;
  const std::string_view all(text);
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), value);
  if (error == std::errc() && end == all.data() + all.size()) return value;
  return base::fail(base::ErrorCode::kInvalidArgument, "Not a number: " + std::string(all));
}

}  // namespace

std::string make_sized_plan(PlanShape shape, std::int64_t node_count) {
  std::string nodes = R"({"id": "n0", "op": "fixed_source", "inputs": [], "params": {}})";
  std::int64_t made = 1;
  const auto add = [&](std::string_view op, std::int64_t input, const std::string& params) {
    nodes += base::format(R"(,
{{"id": "n{}", "op": "{}", "inputs": ["n{}"], "params": {{{}}}}})",
                          made,
                          op,
                          input,
                          params);
    return made++;
  };
  const auto add_score = [&](std::int64_t input, std::string_view expression) {
    return add("vm", input, base::format(R"("out_key": "score", "expr": "{}")", expression));
  };
  // Every expression differs: the compiler would make one node of equal ones.
  std::int64_t last = 0;
  if (shape == PlanShape::kChain) {
    last = add_score(0, "id * 0.5");
    while (made < node_count) last = add_score(last, base::format("score + {}.5", made));
  } else {
    std::vector<std::int64_t> open;
    for (std::int64_t branch = 0; branch < (node_count - 1) / 2; ++branch)
      open.push_back(add_score(0, base::format("id * {}.5", branch)));
    for (std::size_t next = 0; open.size() - next > 1; next += 2) {
      open.push_back(add("concat", open[next], base::format(R"("rhs": "n{}")", open[next + 1])));
    }
    last = open.back();
    while (made < node_count)
      last = add("take", last, base::format(R"("count": {})", 60 - made % 2));
  }
  return base::format(R"({{"schema_version": 1, "name": "{}", "nodes": [
{}], "outputs": ["n{}"], "output_keys": ["id", "score"]}}
)",
                      kSizedPlan,
                      nodes,
                      last);
}

base::Status measure_plan_sizes(bool smoke,
                                std::vector<Figure>& figures,
                                std::vector<Figure>& cells) {
  const std::vector<std::int64_t> sizes =
      smoke ? std::vector<std::int64_t>{10, 50} : std::vector<std::int64_t>{10, 50, 200, 1000};
  const std::vector<std::int64_t> in_flight =
      smoke ? std::vector<std::int64_t>{1, 16} : std::vector<std::int64_t>{1, 16, 64, 256};
  const std::vector<SizeCell> all = list_cells(sizes, in_flight);
  std::vector<Results> passes;
  for (int pass = 1; pass <= (smoke ? 1 : kPasses); ++pass) {
    MR_TRY(Results results, measure_pass(all, smoke, pass));
    passes.push_back(std::move(results));
  }
  if (!smoke) {
    if (isatty(STDERR_FILENO) != 0) std::fputs("\r", stderr);
    std::puts("plan   nodes in flight  threads  CPU us/req      p50 us      p99 us   most MB");
  }
  for (const SizeCell& cell : all) {
    const SizeResult result = join(passes, cell);
    if (!smoke) print_row(cell, result);
    add_cells(cell, result, cells);
  }
  judge(passes, sizes, figures);
  return {};
}

base::Status run_cell(std::span<char* const> arguments) {
  if (arguments.size() != 5)
    return base::fail(base::ErrorCode::kInvalidArgument, "--cell takes five arguments");
  const bool wide = std::string_view(arguments[0]) == name_of(PlanShape::kWide);
  MR_TRY(const std::int64_t node_count, parse_number(arguments[1]));
  MR_TRY(const std::int64_t in_flight, parse_number(arguments[2]));
  MR_TRY(const std::int64_t threads, parse_number(arguments[3]));
  const SizeCell cell{.shape = wide ? PlanShape::kWide : PlanShape::kChain,
                      .node_count = node_count,
                      .in_flight = in_flight,
                      .threads = static_cast<std::uint32_t>(threads)};
  MR_TRY(const SizeResult result, measure_cell(cell, std::string_view(arguments[4]) == "1"));
  std::printf("%s\t%s\n", std::string(kAnswerLine).c_str(), result.answer.c_str());
  std::printf("%s\t%f\t%f\t%f\t%f\n",
              std::string(kResultLine).c_str(),
              result.cpu_us,
              result.p50_us,
              result.p99_us,
              result.rss_mb);
  return {};
}

}  // namespace millrace::bench
