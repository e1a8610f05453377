#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::bench {

/// The steps between the end of one node and the start of the next.
enum class Phase : std::uint8_t { kReadySet, kDequeue, kDependency, kDispatch, kRouting };

/// A figure to compare with: the published breakdown of another scheduler, from another machine.
struct PhaseReference {
  Phase phase;
  std::string_view name;
  double ns;
};

/// Measures one unit of ours in isolation. A clock read costs more than any unit, so `measure_ns`
/// runs the unit `count` times in a loop and gives nanoseconds per time.
struct PhaseProbe {
  Phase phase;
  std::string_view unit;  ///< what exactly is measured
  double (*measure_ns)(std::uint64_t count);
};

struct PhaseFigure {
  PhaseReference reference;
  std::string_view unit;
  std::optional<double> ns;  ///< median; empty when the phase has no probe
  double spread = 0;
};

/// Lists the reference figures, in the order of their publication.
[[nodiscard]] std::span<const PhaseReference> phase_references();

/// Lists the probes of our units; the first of each phase is the usual case.
[[nodiscard]] std::span<const PhaseProbe> phase_probes();

/// Runs all probes in turn, `repetitions` times, and takes medians. Every phase of the reference
/// appears at least once.
[[nodiscard]] std::vector<PhaseFigure> measure_phases(std::span<const PhaseProbe> probes,
                                                      std::uint64_t count,
                                                      unsigned repetitions);

/// Prints ours beside the reference. The total of ours takes the first probe of each phase.
[[nodiscard]] std::string print_phases(std::span<const PhaseFigure> figures);

}  // namespace millrace::bench
