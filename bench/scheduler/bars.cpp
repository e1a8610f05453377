#include "scheduler/bars.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "scheduler/result.h"
#include "scheduler/shape.h"
#include "scheduler/statistics.h"
#include "scheduler/suite.h"

namespace millrace::bench {
namespace {

constexpr std::string_view kSerial = "serial";
constexpr std::string_view kGroup = "tbb-tg";
constexpr std::string_view kFlow = "tbb-fg";
constexpr std::string_view kWithDeadline = "millrace-deadline";

using Values = std::vector<double>;

// Built once: making a shape takes far longer than judging it.
const std::vector<std::string>& core_shape_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Shape& shape : core_shapes()) names.push_back(shape.name);
    return names;
  }();
  return kNames;
}

// The figures of one process that the bars need. If one figure is missing, the whole list is empty,
// so that no bar passes with only a part of its cases.
class Figures {
 public:
  Figures(const ProcessResult& process, std::string_view subject)
      : process_(process), subject_(subject) {}

  [[nodiscard]] std::optional<double> dag_ns(std::string_view shape,
                                             std::string_view body,
                                             unsigned workers,
                                             std::string_view engine) const {
    const Measurement* found = process_.find(shape, body, workers, engine);
    if (found == nullptr) return std::nullopt;
    return found->median_dag_ns();
  }

  // For one body on all core shapes: the time of one engine divided by that of another.
  [[nodiscard]] Values ratios(std::string_view body,
                              unsigned workers,
                              std::string_view numerator,
                              std::string_view denominator) const {
    Values ratios;
    for (const std::string& shape : shapes_) {
      const auto above = dag_ns(shape, body, workers, numerator);
      const auto below = dag_ns(shape, body, workers, denominator);
      if (!above || !below) return {};
      ratios.push_back(*above / *below);
    }
    return ratios;
  }

  // For one body on two workers: the time of the subject divided by the best of the serial loop and
  // oneTBB's task_group.
  [[nodiscard]] Values over_best(std::string_view body) const {
    const Values to_serial = ratios(body, 2, subject_, kSerial);
    const Values to_group = ratios(body, 2, subject_, kGroup);
    if (to_serial.empty() || to_group.empty()) return {};
    Values worse;
    for (std::size_t shape = 0; shape < shapes_.size(); ++shape)
      worse.push_back(std::max(to_serial[shape], to_group[shape]));
    return worse;
  }

  // For one body on all core shapes: the time of the subject on two workers divided by that on one,
  // each relative to the serial loop measured in the same turns. The two are measured minutes
  // apart, so without that a change of the machine's speed would look like the cost of the second
  // worker.
  [[nodiscard]] Values two_over_one(std::string_view body) const {
    const Values two = ratios(body, 2, subject_, kSerial);
    const Values one = ratios(body, 1, subject_, kSerial);
    if (two.empty() || one.empty()) return {};
    Values ratios;
    for (std::size_t shape = 0; shape < shapes_.size(); ++shape)
      ratios.push_back(two[shape] / one[shape]);
    return ratios;
  }

  [[nodiscard]] std::optional<double> over_ideal(std::string_view shape,
                                                 std::string_view body) const {
    const Measurement* found = process_.find(shape, body, 2, subject_);
    if (found == nullptr || found->ideal_ns == 0) return std::nullopt;
    return found->median_dag_ns() / found->ideal_ns;
  }

  // DAGs per second of the subject divided by those of the better rival.
  [[nodiscard]] std::optional<double> in_flight_gain(std::string_view body) const {
    const std::string shape = fmt::format("ranking_10_x{}", kInFlightSlots);
    const auto ours = dag_ns(shape, body, 2, subject_);
    const auto group = dag_ns(shape, body, 2, kGroup);
    const auto flow = dag_ns(shape, body, 2, kFlow);
    if (!ours || !group || !flow) return std::nullopt;
    return std::min(*group, *flow) / *ours;
  }

  [[nodiscard]] std::optional<double> most_allocations() const {
    std::optional<double> most;
    for (const Measurement& measurement : process_.measurements) {
      if (measurement.engine != subject_ || !measurement.allocs_per_run) continue;
      most = std::max(most.value_or(0), *measurement.allocs_per_run);
    }
    return most;
  }

  [[nodiscard]] std::optional<double> small_dag_wakes() const {
    const Measurement* found = process_.find("ranking_10", "empty", 2, subject_);
    return found == nullptr ? std::nullopt : found->wakes_per_run;
  }

  [[nodiscard]] std::string_view subject() const { return subject_; }

 private:
  const ProcessResult& process_;
  std::string_view subject_;
  const std::vector<std::string>& shapes_ = core_shape_names();
};

std::optional<double> mean_of(const Values& values) {
  if (values.empty()) return std::nullopt;
  return geometric_mean(values);
}

std::optional<double> largest_of(const Values& values) {
  if (values.empty()) return std::nullopt;
  return *std::ranges::max_element(values);
}

std::optional<double> smallest_of(const Values& values) {
  if (values.empty()) return std::nullopt;
  return *std::ranges::min_element(values);
}

void add_empty_bars(std::vector<Bar>& bars, const Figures& figures, unsigned workers) {
  const std::string_view ours = figures.subject();
  const std::string prefix = fmt::format("empty, {} worker{}: ", workers, workers == 1 ? "" : "s");
  const Values to_serial = figures.ratios("empty", workers, ours, kSerial);
  const Values flow_gain = figures.ratios("empty", workers, kFlow, ours);
  const Values group_gain = figures.ratios("empty", workers, kGroup, ours);
  bars.push_back({prefix + "mean over shapes / serial", mean_of(to_serial), 4, true});
  bars.push_back({prefix + "worst shape / serial", largest_of(to_serial), 8, true});
  bars.push_back({prefix + "tbb-fg / ours, closest shape", smallest_of(flow_gain), 3, false});
  bars.push_back({prefix + "tbb-tg / ours, mean over shapes", mean_of(group_gain), 2, false});
}

/// What a deadline costs, and how a run that has one compares with oneTBB, which has none (C13).
void add_deadline_bars(std::vector<Bar>& bars, const Figures& figures) {
  for (const unsigned workers : {1U, 2U}) {
    const std::string_view plural = workers == 1 ? "" : "s";
    for (const BodyLength& body : core_bodies()) {
      const Values cost = figures.ratios(body.name, workers, kWithDeadline, figures.subject());
      bars.push_back({fmt::format("{}, {} worker{}: with a deadline / without, worst shape",
                                  body.name,
                                  workers,
                                  plural),
                      largest_of(cost),
                      1.5,
                      true});
    }
    for (const std::string_view body : {"empty", "1us"}) {
      const Values to_group = figures.ratios(body, workers, kWithDeadline, kGroup);
      bars.push_back(
          {fmt::format("{}, {} worker{}: with a deadline / tbb-tg without, mean over shapes",
                       body,
                       workers,
                       plural),
           mean_of(to_group),
           1,
           true});
    }
  }
}

/// Short and long bodies beside oneTBB, and whether a second worker ever hurts (D11).
void add_sharing_bars(std::vector<Bar>& bars, const Figures& figures) {
  struct Limit {
    std::string_view body;
    double limit;
  };
  constexpr auto kLimits = std::to_array<Limit>({{"200ns", 1.15}, {"1us", 1}, {"20us", 1}});
  for (const Limit& limit : kLimits) {
    const Values to_group = figures.ratios(limit.body, 2, figures.subject(), kGroup);
    bars.push_back({fmt::format("{}, 2 workers: ours / tbb-tg, mean over shapes", limit.body),
                    mean_of(to_group),
                    limit.limit,
                    true});
  }
  Values uneven;
  for (const BodyLength& body : core_bodies().subspan(1)) {
    bars.push_back({fmt::format("{}: 2 workers / 1 worker, worst shape", body.name),
                    largest_of(figures.two_over_one(body.name)),
                    1.1,
                    true});
    bars.push_back(
        {fmt::format("{}, 2 workers: ours / best of serial and tbb-tg, worst shape", body.name),
         largest_of(figures.over_best(body.name)),
         1.15,
         true});
    const std::string shape = make_uneven_ranking().name;
    const auto ours = figures.dag_ns(shape, body.name, 2, figures.subject());
    const auto group = figures.dag_ns(shape, body.name, 2, kGroup);
    if (ours && group) uneven.push_back(*ours / *group);
  }
  bars.push_back({"uneven branches, 2 workers: ours / tbb-tg, worst body",
                  uneven.size() + 1 == core_bodies().size() ? largest_of(uneven) : std::nullopt,
                  1.1,
                  true});
}

void add_busy_bars(std::vector<Bar>& bars, const Figures& figures) {
  struct Limit {
    std::string_view shape;
    std::string_view body;
    double limit;
  };
  constexpr auto kLimits = std::to_array<Limit>({{"ranking_10", "1us", 1.12},
                                                 {"ladder_64", "1us", 1.18},
                                                 {"fan_64", "1us", 1.20},
                                                 {"fan_512", "1us", 1.12},
                                                 {"tree_255", "1us", 1.12},
                                                 {"wavefront_32", "1us", 1.12},
                                                 {"layered_200", "1us", 1.12},
                                                 {"layered_500", "1us", 1.12},
                                                 {"mixed_200", "mixed", 1.12}});
  for (const Limit& limit : kLimits) {
    bars.push_back({fmt::format("{}, 2 workers: {} / ideal", limit.body, limit.shape),
                    figures.over_ideal(limit.shape, limit.body),
                    limit.limit,
                    true});
  }
}

// Largest distance from the ideal over all widths, as a share of the ideal. The median over the
// processes is taken for each width first, because of more than a hundred cases some always meet a
// busy machine.
std::optional<double> narrow_deviation(const std::vector<ProcessResult>& processes,
                                       std::string_view subject,
                                       bool cold) {
  double worst = 0;
  for (NodeIndex width = kNarrowWidthMin; width <= kNarrowWidthMax; ++width) {
    Values ratios;
    for (const ProcessResult& process : processes) {
      const auto ratio = Figures(process, subject).over_ideal(narrow_name(width, cold), "1ms");
      if (ratio) ratios.push_back(*ratio);
    }
    if (ratios.empty()) return std::nullopt;
    worst = std::max(worst, std::abs(median(ratios) - 1));
  }
  return worst;
}

std::vector<Bar> bars_of(const ProcessResult& process, std::string_view subject) {
  const Figures figures(process, subject);
  std::vector<Bar> bars;
  add_deadline_bars(bars, figures);
  add_empty_bars(bars, figures, 1);
  add_empty_bars(bars, figures, 2);
  add_sharing_bars(bars, figures);
  const Values scaling = figures.two_over_one("empty");
  bars.push_back({"empty: 2 workers / 1 worker, mean over shapes", mean_of(scaling), 1.3, true});
  bars.push_back({"empty: 2 workers / 1 worker, worst shape", largest_of(scaling), 2, true});
  add_busy_bars(bars, figures);
  bars.push_back({"empty, 64 in flight: dags/s over the better oneTBB",
                  figures.in_flight_gain("empty"),
                  2,
                  false});
  bars.push_back({"1us, 64 in flight: dags/s over the better oneTBB",
                  figures.in_flight_gain("1us"),
                  0.97,
                  false});
  bars.push_back({"allocations per warm run, worst case", figures.most_allocations(), 0, true});
  bars.push_back({"wake-ups per empty 10-node dag", figures.small_dag_wakes(), 0.01, true});
  return bars;
}

}  // namespace

std::vector<Bar> evaluate_bars(const std::vector<ProcessResult>& processes,
                               std::string_view subject) {
  std::vector<Bar> bars = bars_of(ProcessResult{}, subject);
  std::vector<Values> values(bars.size());
  for (const ProcessResult& process : processes) {
    const std::vector<Bar> single = bars_of(process, subject);
    for (std::size_t index = 0; index < bars.size(); ++index) {
      const std::optional<double>& value = single[index].value;
      if (value) values[index].push_back(*value);
    }
  }
  for (std::size_t index = 0; index < bars.size(); ++index) {
    if (!values[index].empty()) bars[index].value = median(values[index]);
  }
  for (const bool cold : {false, true}) {
    bars.push_back({fmt::format("1 ms siblings, k = 2..64, {} plan: worst distance from ideal",
                                cold ? "cold" : "warm"),
                    narrow_deviation(processes, subject, cold),
                    0.10,
                    true});
  }
  return bars;
}

}  // namespace millrace::bench
