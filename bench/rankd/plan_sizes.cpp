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

/// How many requests to send per round: about as much work for every plan, and enough to keep as
/// many under way as asked.
std::int64_t requests_per_round(const SizeCell& cell, bool smoke) {
  const std::int64_t work = smoke ? 500 : 200'000;
  return std::max(work / cell.node_count, 4 * cell.in_flight);
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
  for (int round = 0; round <= (smoke ? 1 : 3); ++round) {
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

/// All results so far, to be asked for single cells.
class SizeTable {
 public:
  void add(const SizeCell& cell, SizeResult result) {
    results_.emplace(name_of(cell), std::move(result));
  }
  [[nodiscard]] const SizeResult* find(const SizeCell& cell) const {
    const auto found = results_.find(name_of(cell));
    return found == results_.end() ? nullptr : &found->second;
  }
  /// One value of a cell divided by that of another, if both were measured.
  [[nodiscard]] std::optional<double> ratio(const SizeCell& above,
                                            const SizeCell& below,
                                            double SizeResult::* value) const {
    const SizeResult* const first = find(above);
    const SizeResult* const second = find(below);
    if (first == nullptr || second == nullptr) return std::nullopt;
    return first->*value / second->*value;
  }

 private:
  std::map<std::string, SizeResult> results_;
};

void judge(const SizeTable& table,
           PlanShape shape,
           std::int64_t node_count,
           std::vector<Figure>& figures) {
  const std::string plan = base::format("{} of {}", name_of(shape), node_count);
  for (const std::uint32_t threads : {1U, 2U}) {
    const SizeCell busy{shape, node_count, 64, threads};
    const SizeCell lone{shape, node_count, 1, threads};
    if (const auto ratio = table.ratio(busy, lone, &SizeResult::cpu_us)) {
      figures.push_back({base::format("{}, threads: {}, CPU, 64 in flight / 1", plan, threads),
                         *ratio,
                         "x",
                         kBusyRatioMax});
    }
  }
  const SizeCell two{shape, node_count, 1, 2};
  const SizeCell one{shape, node_count, 1, 1};
  if (const auto ratio = table.ratio(two, one, &SizeResult::p50_us)) {
    figures.push_back(
        {plan + ", 1 in flight: p50, 2 threads / 1", *ratio, "x", kSecondThreadRatioMax});
  }
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
  std::fflush(stdout);
}

void add_cells(const SizeCell& cell, const SizeResult& result, std::vector<Figure>& cells) {
  const std::string name = name_of(cell);
  cells.push_back({name + ": CPU per request", result.cpu_us, "us"});
  cells.push_back({name + ": p50", result.p50_us, "us"});
  cells.push_back({name + ": p99", result.p99_us, "us"});
  cells.push_back({name + ": most memory", result.rss_mb, "MB"});
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
  SizeTable table;
  if (!smoke)
    std::puts("plan   nodes in flight  threads  CPU us/req      p50 us      p99 us   most MB");
  for (const PlanShape shape : {PlanShape::kChain, PlanShape::kWide}) {
    for (const std::int64_t size : sizes) {
      std::string answer;
      for (const std::int64_t concurrent : in_flight) {
        for (const std::uint32_t threads : {1U, 2U}) {
          const SizeCell cell{shape, size, concurrent, threads};
          MR_TRY(const SizeResult result, measure_in_child(cell, smoke));
          if (answer.empty()) answer = result.answer;
          if (result.answer != answer) {
            return base::fail(base::ErrorCode::kInternal,
                              base::format("Answers differ.\n{}\n{}", answer, result.answer),
                              name_of(cell));
          }
          if (!smoke) print_row(cell, result);
          add_cells(cell, result, cells);
          table.add(cell, result);
        }
      }
      judge(table, shape, size, figures);
    }
  }
  for (const std::uint32_t threads : {1U, 2U}) {
    const SizeCell longest{PlanShape::kChain, 1000, 256, threads};
    if (const SizeResult* const result = table.find(longest))
      figures.push_back(
          {name_of(longest) + ": most memory", result->rss_mb, "MB", kLongChainMbMax});
  }
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
