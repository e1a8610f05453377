#include "scheduler/bars.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

/// What is measured of a case: an engine with a number of workers.
struct Contestant {
  std::string_view engine;
  unsigned workers = 2;
};

/// One value per shape, in the order of `shapes`; no shape at all if one was not measured, so that
/// no bar passes with only a part of its cases.
struct PerShape {
  std::vector<std::string> shapes;
  Values values;

  [[nodiscard]] std::optional<double> mean() const {
    if (values.empty()) return std::nullopt;
    return geometric_mean(values);
  }
};

/// The shapes that the bars of each body are about. Built once: making a shape takes far longer
/// than judging it.
std::vector<std::string> judged_shapes(std::string_view body, bool full) {
  static const std::vector<Case> kSuite = make_suite(1);
  static const std::vector<std::string> kCore = [] {
    std::vector<std::string> names;
    for (const Shape& shape : core_shapes()) names.push_back(shape.name);
    return names;
  }();
  std::vector<std::string> names;
  for (const Case& entry : kSuite) {
    if (entry.body == body && (full || is_in_short_form(entry)) &&
        std::ranges::find(kCore, entry.name) != kCore.end())
      names.push_back(entry.name);
  }
  return names;
}

std::string in_flight_shape() { return fmt::format("ranking_10_x{}", kInFlightSlots); }

// The figures that the bars need, as medians over the processes.
class Figures {
 public:
  Figures(const std::vector<ProcessResult>& processes, const Judging& judging)
      : processes_(processes), judging_(judging) {}

  /// The time of one contestant divided by that of another.
  [[nodiscard]] std::optional<double> ratio(std::string_view shape,
                                            std::string_view body,
                                            Contestant above,
                                            Contestant below) const {
    return median_of([&](const ProcessResult& process) {
      return divide(find(process, shape, body, above), find(process, shape, body, below));
    });
  }

  [[nodiscard]] PerShape ratios(std::string_view body, Contestant above, Contestant below) const {
    return for_shapes(body,
                      [&](std::string_view shape) { return ratio(shape, body, above, below); });
  }

  /// On two workers: the time of the subject divided by the best of the serial loop and oneTBB's
  /// task_group.
  [[nodiscard]] PerShape over_best(std::string_view body) const {
    return for_shapes(body, [&](std::string_view shape) {
      return median_of([&](const ProcessResult& process) -> std::optional<double> {
        const auto ours = find(process, shape, body, {subject()});
        const auto over_serial = divide(ours, find(process, shape, body, {kSerial}));
        const auto over_group = divide(ours, find(process, shape, body, {kGroup}));
        if (!over_serial || !over_group) return std::nullopt;
        return std::max(*over_serial, *over_group);
      });
    });
  }

  [[nodiscard]] std::optional<double> over_ideal(std::string_view shape,
                                                 std::string_view body) const {
    return median_of([&](const ProcessResult& process) -> std::optional<double> {
      const Measurement* const found = process.find(shape, body, 2, subject());
      if (found == nullptr || found->ideal_ns == 0) return std::nullopt;
      return found->median_dag_ns() / found->ideal_ns;
    });
  }

  // DAGs per second of the subject divided by those of the better rival.
  [[nodiscard]] std::optional<double> in_flight_gain(std::string_view body) const {
    const std::string shape = in_flight_shape();
    return median_of([&](const ProcessResult& process) -> std::optional<double> {
      const auto ours = find(process, shape, body, {subject()});
      const auto over_group = divide(find(process, shape, body, {kGroup}), ours);
      const auto over_flow = divide(find(process, shape, body, {kFlow}), ours);
      if (!over_group || !over_flow) return std::nullopt;
      return std::min(*over_group, *over_flow);
    });
  }

  [[nodiscard]] std::optional<double> most_allocations() const {
    return median_of([&](const ProcessResult& process) {
      std::optional<double> most;
      for (const Measurement& measurement : process.measurements) {
        if (measurement.engine != subject() || !measurement.allocs_per_run) continue;
        most = std::max(most.value_or(0), *measurement.allocs_per_run);
      }
      return most;
    });
  }

  [[nodiscard]] std::optional<double> small_dag_wakes() const {
    return median_of([&](const ProcessResult& process) {
      const Measurement* const found = process.find("ranking_10", "empty", 2, subject());
      return found == nullptr ? std::nullopt : found->wakes_per_run;
    });
  }

  [[nodiscard]] std::string_view subject() const { return judging_.subject; }

 private:
  template <class Value>
  [[nodiscard]] std::optional<double> median_of(Value value) const {
    Values values;
    for (const ProcessResult& process : processes_) {
      if (const std::optional<double> one = value(process)) values.push_back(*one);
    }
    if (values.empty()) return std::nullopt;
    return median(values);
  }

  template <class Value>
  [[nodiscard]] PerShape for_shapes(std::string_view body, Value value) const {
    PerShape found;
    for (std::string& shape : judged_shapes(body, judging_.full)) {
      const std::optional<double> one = value(shape);
      if (!one) return {};
      found.values.push_back(*one);
      found.shapes.push_back(std::move(shape));
    }
    return found;
  }

  [[nodiscard]] static std::optional<double> find(const ProcessResult& process,
                                                  std::string_view shape,
                                                  std::string_view body,
                                                  Contestant of) {
    const Measurement* const found = process.find(shape, body, of.workers, of.engine);
    if (found == nullptr) return std::nullopt;
    return found->median_dag_ns();
  }

  [[nodiscard]] static std::optional<double> divide(std::optional<double> above,
                                                    std::optional<double> below) {
    if (!above || !below) return std::nullopt;
    return *above / *below;
  }

  const std::vector<ProcessResult>& processes_;
  const Judging& judging_;
};

Bar worst_bar(std::string name, const PerShape& ratios, double limit, bool at_most = true) {
  if (ratios.values.empty()) return {std::move(name), std::nullopt, limit, at_most};
  const auto worst =
      at_most ? std::ranges::max_element(ratios.values) : std::ranges::min_element(ratios.values);
  const auto place = static_cast<std::size_t>(worst - ratios.values.begin());
  return {std::move(name), *worst, limit, at_most, ratios.shapes[place]};
}

std::string print_workers(unsigned workers) {
  return fmt::format("{} worker{}", workers, workers == 1 ? "" : "s");
}

/// What a deadline costs, and how a run that has one compares with oneTBB, which has none (C13).
void add_deadline_bars(std::vector<Bar>& bars, const Figures& figures) {
  for (const unsigned workers : {1U, 2U}) {
    for (const BodyLength& body : core_bodies()) {
      bars.push_back(worst_bar(
          fmt::format("{}, {}: deadline / without, worst shape", body.name, print_workers(workers)),
          figures.ratios(body.name, {kWithDeadline, workers}, {figures.subject(), workers}),
          1.5));
    }
    for (const std::string_view body : {"empty", "1us"}) {
      bars.push_back(
          {fmt::format("{}, {}: deadline / tbb-tg without, mean", body, print_workers(workers)),
           figures.ratios(body, {kWithDeadline, workers}, {kGroup, workers}).mean(),
           1});
    }
  }
  const std::string in_flight = in_flight_shape();
  for (const std::string_view body : {"empty", "1us"}) {
    bars.push_back({fmt::format("{}, 64 in flight: deadline / without", body),
                    figures.ratio(in_flight, body, {kWithDeadline}, {figures.subject()}),
                    1.5});
  }
}

void add_empty_bars(std::vector<Bar>& bars, const Figures& figures) {
  // One and a half times of what the engine took when it had a way of its own for empty bodies.
  for (const auto& [workers, mean_limit] : {std::pair{1U, 3.15}, std::pair{2U, 3.75}}) {
    const Contestant ours{figures.subject(), workers};
    const std::string prefix = fmt::format("empty, {}: ", print_workers(workers));
    const PerShape to_serial = figures.ratios("empty", ours, {kSerial, workers});
    bars.push_back({prefix + "ours / serial, mean", to_serial.mean(), mean_limit});
    bars.push_back(worst_bar(prefix + "ours / serial, worst shape", to_serial, 8));
    bars.push_back(worst_bar(prefix + "tbb-fg / ours, closest shape",
                             figures.ratios("empty", {kFlow, workers}, ours),
                             3,
                             false));
    bars.push_back({prefix + "tbb-tg / ours, mean",
                    figures.ratios("empty", {kGroup, workers}, ours).mean(),
                    2,
                    false});
  }
  const PerShape scaling = figures.ratios("empty", {figures.subject(), 2}, {figures.subject(), 1});
  bars.push_back({"empty: 2 workers / 1 worker, mean", scaling.mean(), 1.3});
  bars.push_back(worst_bar("empty: 2 workers / 1 worker, worst shape", scaling, 1.3));
}

/// Short and long bodies beside oneTBB, and whether a second worker ever hurts (D11).
void add_sharing_bars(std::vector<Bar>& bars, const Figures& figures) {
  struct Limit {
    std::string_view body;
    double limit;
  };
  const Contestant ours{figures.subject()};
  constexpr auto kLimits = std::to_array<Limit>({{"200ns", 1.15}, {"1us", 1}, {"20us", 1}});
  for (const Limit& limit : kLimits) {
    bars.push_back({fmt::format("{}, 2 workers: ours / tbb-tg, mean", limit.body),
                    figures.ratios(limit.body, ours, {kGroup}).mean(),
                    limit.limit});
  }
  PerShape uneven;
  for (const BodyLength& body : core_bodies().subspan(1)) {
    bars.push_back(worst_bar(fmt::format("{}: 2 workers / 1 worker, worst shape", body.name),
                             figures.ratios(body.name, ours, {figures.subject(), 1}),
                             1.1));
    bars.push_back(worst_bar(
        fmt::format("{}, 2 workers: ours / best of serial and tbb-tg, worst shape", body.name),
        figures.over_best(body.name),
        1.15));
    if (const auto ratio = figures.ratio(make_uneven_ranking().name, body.name, ours, {kGroup})) {
      uneven.values.push_back(*ratio);
      uneven.shapes.emplace_back(body.name);
    }
  }
  if (uneven.values.size() + 1 != core_bodies().size()) uneven = {};
  bars.push_back(worst_bar("uneven branches, 2 workers: ours / tbb-tg, worst body", uneven, 1.1));
  for (const std::string_view body : {"empty", "1us"}) {
    bars.push_back(
        {fmt::format("{}, 2 workers and a caller that only waits: ours / tbb, mean", body),
         figures.ratios(body, {"millrace-wait"}, {"tbb-wait"}).mean(),
         1});
  }
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
                    limit.limit});
  }
  struct Gain {
    std::string_view body;
    double limit;
  };
  for (const Gain& gain : {Gain{"empty", 2}, Gain{"1us", 0.97}}) {
    bars.push_back({fmt::format("{}, 64 in flight: dags/s over the better oneTBB", gain.body),
                    figures.in_flight_gain(gain.body),
                    gain.limit,
                    false});
  }
}

// Largest distance from the ideal over all widths, as a share of the ideal.
Bar narrow_bar(const Figures& figures, bool cold) {
  PerShape distances;
  for (NodeIndex width = kNarrowWidthMin; width <= kNarrowWidthMax; ++width) {
    const std::optional<double> ratio = figures.over_ideal(narrow_name(width, cold), "1ms");
    if (!ratio) {
      distances = {};
      break;
    }
    distances.values.push_back(std::abs(*ratio - 1));
    distances.shapes.push_back(narrow_name(width, cold));
  }
  return worst_bar(fmt::format("1 ms siblings, k = 2..64, {} plan: worst distance from ideal",
                               cold ? "cold" : "warm"),
                   distances,
                   0.10);
}

}  // namespace

std::vector<Bar> evaluate_bars(const std::vector<ProcessResult>& processes,
                               const Judging& judging) {
  const Figures figures(processes, judging);
  std::vector<Bar> bars;
  add_deadline_bars(bars, figures);
  add_empty_bars(bars, figures);
  add_sharing_bars(bars, figures);
  add_busy_bars(bars, figures);
  bars.push_back({"allocations per warm run, worst case", figures.most_allocations(), 0});
  bars.push_back({"wake-ups per empty 10-node dag", figures.small_dag_wakes(), 0.01});
  if (!judging.full) return bars;
  for (const bool cold : {false, true}) bars.push_back(narrow_bar(figures, cold));
  return bars;
}

}  // namespace millrace::bench
