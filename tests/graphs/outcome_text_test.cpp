#include "outcome_text.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::graph_reference {
namespace {

using std::chrono::microseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Outcome outcome() {
  return {.stop_reason = "idle",
          .epochs = {{"main", 2}},
          .lines = {{"a", 1, microseconds(5), "1", "s#1", "e#1"},
                    {"b", 1, microseconds(5), "2", "s#1", "f#1"}},
          .epoch_spans = {{"main", 1, microseconds(0), microseconds(9)}},
          .executions = {{"a", 1, microseconds(5), microseconds(1)}},
          .metrics = {{"runtime.x{a}", 3}, {"runtime.y{a}", 0}}};
}

TEST(OutcomeText, EqualOutcomesHaveNoDifference) {
  EXPECT_THAT(describe_difference(outcome(), outcome()), IsEmpty());
}

TEST(OutcomeText, EveryPartIsCompared) {
  const auto changed = [](auto change) {
    Outcome other = outcome();
    change(other);
    return describe_difference(outcome(), other);
  };
  EXPECT_THAT(changed([](Outcome& other) { other.stop_reason = "error"; }),
              HasSubstr("stop reason: reference 'idle', engine 'error'"));
  EXPECT_THAT(changed([](Outcome& other) { other.error_code = "x"; }), HasSubstr("error"));
  EXPECT_THAT(changed([](Outcome& other) { other.error_component = "x"; }), HasSubstr("failing"));
  EXPECT_THAT(changed([](Outcome& other) { other.epochs["main"] = 3; }), HasSubstr("result"));
  EXPECT_THAT(changed([](Outcome& other) { other.loop_stop_reasons["l"] = "x"; }),
              HasSubstr("loop-l"));
  EXPECT_THAT(changed([](Outcome& other) { other.tables["t"]["k"] = "1"; }),
              HasSubstr("table-t-k"));
  EXPECT_THAT(changed([](Outcome& other) { other.lines[0].causation = "e#2"; }), HasSubstr("line"));
  EXPECT_THAT(changed([](Outcome& other) { other.lines.pop_back(); }), HasSubstr("(none)"));
  EXPECT_THAT(changed([](Outcome& other) { other.epoch_spans[0].end = microseconds(8); }),
              HasSubstr("epoch"));
  EXPECT_THAT(changed([](Outcome& other) { other.executions[0].begin = microseconds(6); }),
              HasSubstr("invocation"));
  EXPECT_THAT(changed([](Outcome& other) { other.metrics["runtime.x{a}"] = 4; }),
              HasSubstr("runtime.x{a}: reference 3, engine 4"));
}

TEST(OutcomeText, OrderCountsWithinAComponentOnly) {
  Outcome other = outcome();
  std::swap(other.lines[0], other.lines[1]);
  EXPECT_THAT(describe_difference(outcome(), other), IsEmpty());
}

TEST(OutcomeText, MetricsThatAreMissingAreZero) {
  Outcome other = outcome();
  other.metrics.erase("runtime.y{a}");
  EXPECT_THAT(describe_difference(outcome(), other), IsEmpty());
}

}  // namespace
}  // namespace millrace::graph_reference
