#include "scheduler/overhead.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

double ten(std::uint64_t) { return 10; }
double four(std::uint64_t) { return 4; }

TEST(OverheadTest, ReferenceAddsUpToItsPublishedTotal) {
  double total = 0;
  for (const PhaseReference& reference : phase_references()) total += reference.ns;
  EXPECT_EQ(total, 7'500);
}

TEST(OverheadTest, UnmeasuredPhasesStayVisibleAndLeaveNoTotal) {
  const auto probes = std::to_array<PhaseProbe>({{Phase::kDequeue, "pop", ten}});
  const auto figures = measure_phases(probes, 1, 3);
  EXPECT_EQ(figures.size(), phase_references().size());
  EXPECT_EQ(figures[1].ns, 10);
  EXPECT_EQ(figures[0].ns, std::nullopt);
  EXPECT_THAT(print_phases(figures), Not(HasSubstr("750x")));
}

TEST(OverheadTest, TotalTakesTheFirstProbeOfEachPhase) {
  const auto probes = std::to_array<PhaseProbe>({{Phase::kReadySet, "private push", four},
                                                 {Phase::kReadySet, "shared push", ten},
                                                 {Phase::kDequeue, "pop", four},
                                                 {Phase::kDependency, "decrement", four},
                                                 {Phase::kDispatch, "call", four},
                                                 {Phase::kRouting, "dependents", four}});
  const std::string text = print_phases(measure_phases(probes, 1, 3));
  EXPECT_THAT(text, HasSubstr("shared push"));
  EXPECT_THAT(text, HasSubstr("20.0 ns"));
  EXPECT_THAT(text, HasSubstr("375x"));
  EXPECT_THAT(text, HasSubstr("1800 ns   24.0%      4.0 ns ±0%   20.0%")) << text;
  EXPECT_THAT(text, HasSubstr("2400 ns   32.0%")) << text;
  EXPECT_THAT(text, HasSubstr("7500 ns"));
  EXPECT_THAT(text, HasSubstr("another machine"));
}

TEST(OverheadTest, EveryPhaseOfOursIsMeasured) {
  for (const PhaseFigure& figure : measure_phases(phase_probes(), 1, 1)) {
    ASSERT_TRUE(figure.ns.has_value()) << figure.reference.name;
    EXPECT_GT(figure.ns, 0) << figure.unit;
  }
}

}  // namespace
}  // namespace millrace::bench
