#include "scheduler/overhead.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scheduler/statistics.h"

namespace millrace::bench {
namespace {

constexpr auto kReferences = std::to_array<PhaseReference>({
    {Phase::kReadySet, "ready set update", 1'800},
    {Phase::kDequeue, "priority queue dequeue", 900},
    {Phase::kDependency, "dependency resolution", 1'400},
    {Phase::kDispatch, "operation dispatch", 2'400},
    {Phase::kRouting, "token routing", 1'000},
});

bool is_first_of_phase(std::span<const PhaseFigure> figures, std::size_t index) {
  return index == 0 || figures[index - 1].reference.phase != figures[index].reference.phase;
}

/// Prints the reference time divided by ours.
std::string print_ratio(double reference_ns, const std::optional<double>& ours_ns) {
  return ours_ns && *ours_ns > 0 ? fmt::format("{:.0f}x", reference_ns / *ours_ns) : "-";
}

}  // namespace

std::span<const PhaseReference> phase_references() { return kReferences; }

std::vector<PhaseFigure> measure_phases(std::span<const PhaseProbe> probes,
                                        std::uint64_t count,
                                        unsigned repetitions) {
  std::vector<std::vector<double>> samples(probes.size());
  for (unsigned repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t turn = 0; turn < probes.size(); ++turn) {
      const std::size_t index = (turn + repetition) % probes.size();
      samples[index].push_back(probes[index].measure_ns(count));
    }
  }
  std::vector<PhaseFigure> figures;
  for (const PhaseReference& reference : kReferences) {
    const std::size_t before = figures.size();
    for (std::size_t index = 0; index < probes.size(); ++index) {
      if (probes[index].phase != reference.phase) continue;
      figures.push_back({.reference = reference,
                         .unit = probes[index].unit,
                         .ns = median(samples[index]),
                         .spread = relative_spread(samples[index])});
    }
    if (figures.size() == before) {
      figures.push_back({.reference = reference, .unit = "not measured", .ns = {}, .spread = 0});
    }
  }
  return figures;
}

std::string print_phases(std::span<const PhaseFigure> figures) {
  std::string text = fmt::format("{:<26}{:>12}  {:>14}  {:>6}  {}\n",
                                 "phase, per node",
                                 "reference",
                                 "ours",
                                 "ratio",
                                 "our unit");
  double reference_total = 0;
  double our_total = 0;
  bool complete = true;
  for (std::size_t index = 0; index < figures.size(); ++index) {
    const PhaseFigure& figure = figures[index];
    const bool first = is_first_of_phase(figures, index);
    if (first) {
      reference_total += figure.reference.ns;
      our_total += figure.ns.value_or(0);
      complete = complete && figure.ns.has_value();
    }
    const std::string ours =
        figure.ns ? fmt::format("{:.1f} ns ±{:.0f}%", *figure.ns, 100 * figure.spread) : "-";
    text += fmt::format("{:<26}{:>12}  {:>14}  {:>6}  {}\n",
                        first ? figure.reference.name : "",
                        first ? fmt::format("{:.0f} ns", figure.reference.ns) : "",
                        ours,
                        first ? print_ratio(figure.reference.ns, figure.ns) : "",
                        figure.unit);
  }
  const std::optional<double> total = complete ? std::optional(our_total) : std::nullopt;
  text += fmt::format("{:<26}{:>9.0f} ns  {:>14}  {:>6}\n",
                      "total",
                      reference_total,
                      total ? fmt::format("{:.1f} ns", *total) : "-",
                      print_ratio(reference_total, total));
  text +=
      "\nThe reference was published for another scheduler and measured on another machine: it is\n"
      "information, not a comparison. Ours are isolated loops over the real units on this one.\n";
  return text;
}

}  // namespace millrace::bench
