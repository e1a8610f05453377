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

/// The sums of the first figures of all phases.
struct Totals {
  double reference_ns = 0;
  std::optional<double> our_ns = 0;  ///< nothing if a phase was not measured
};

Totals add_up(std::span<const PhaseFigure> figures) {
  Totals totals;
  for (std::size_t index = 0; index < figures.size(); ++index) {
    if (!is_first_of_phase(figures, index)) continue;
    const PhaseFigure& figure = figures[index];
    totals.reference_ns += figure.reference.ns;
    totals.our_ns =
        totals.our_ns && figure.ns ? std::optional(*totals.our_ns + *figure.ns) : std::nullopt;
  }
  return totals;
}

std::string print_share(std::optional<double> part, std::optional<double> total) {
  return part && total && *total > 0 ? fmt::format("{:.1f}%", 100 * *part / *total) : "-";
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
  const Totals totals = add_up(figures);
  std::string text = fmt::format("{:<26}{:>12}  {:>6}  {:>14}  {:>6}  {:>6}  {}\n",
                                 "phase, per node",
                                 "reference",
                                 "share",
                                 "ours",
                                 "share",
                                 "ratio",
                                 "our unit");
  for (std::size_t index = 0; index < figures.size(); ++index) {
    const PhaseFigure& figure = figures[index];
    const bool first = is_first_of_phase(figures, index);
    const std::string ours =
        figure.ns ? fmt::format("{:.1f} ns ±{:.0f}%", *figure.ns, 100 * figure.spread) : "-";
    text += fmt::format("{:<26}{:>12}  {:>6}  {:>14}  {:>6}  {:>6}  {}\n",
                        first ? figure.reference.name : "",
                        first ? fmt::format("{:.0f} ns", figure.reference.ns) : "",
                        first ? print_share(figure.reference.ns, totals.reference_ns) : "",
                        ours,
                        first ? print_share(figure.ns, totals.our_ns) : "",
                        first ? print_ratio(figure.reference.ns, figure.ns) : "",
                        figure.unit);
  }
  text += fmt::format("{:<26}{:>9.0f} ns  {:>6}  {:>14}  {:>6}  {:>6}\n",
                      "total",
                      totals.reference_ns,
                      "100.0%",
                      totals.our_ns ? fmt::format("{:.1f} ns", *totals.our_ns) : "-",
                      totals.our_ns ? "100.0%" : "-",
                      print_ratio(totals.reference_ns, totals.our_ns));
  text +=
      "\nThe reference was published for another scheduler and measured on another machine: it is\n"
      "information, not a comparison. Ours are isolated loops over the real units on this one. "
      "Its\n"
      "dispatch includes the hand-over to another thread, and so does ours. Most of our nodes run "
      "on\n"
      "the thread that finished the one before them and pay for no hand-over, push or pop.\n";
  return text;
}

}  // namespace millrace::bench
