#include "graph/record/recorder.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/record/record_fixture.h"
#include "graph/run/run_fixture.h"
#include "graph/run/runtime.h"
#include "graph/run/runtime_runner.h"

namespace millrace::graph {
namespace {

using ::testing::HasSubstr;

RunText endless() { return {.components = {"id: s, type: core.counter, execution: {lane: main}"}}; }

TEST(Recorder, G69_ARunThatCannotBeRecordedFails) {
  const CompiledGraph graph = TestTypes().compile(endless().text());
  RuntimeRunnerOptions options{.steps = 1'000'000, .virtual_time = true};
  Recorder recorder;
  ASSERT_TRUE(recorder.open("/dev/full", {.name = "g", .text = endless().text()}, options));
  options.journal = &recorder;
  const auto result = RuntimeRunner::run(graph, builtin_registry(), options);
  ASSERT_EQ(result.errors.size(), 1U) << "it must not run to its end";
  EXPECT_EQ(result.errors.front().code, "record_failed");
  EXPECT_THAT(result.errors.front().message, HasSubstr("No space left"));
  EXPECT_LT(result.epochs.front().epochs, 10'000U);
  EXPECT_FALSE(recorder.finish(result));
}

TEST(Recorder, G55_KeepsTheGraphTheBoundsAndTheEnd) {
  const RecordedRun recorded = record_run(endless().text(), {.steps = 3});
  EXPECT_THAT(recorded.record, HasSubstr("\"options\":{\"steps\":3,"));
  EXPECT_THAT(recorded.record, HasSubstr("id: s, type: core.counter"));
  EXPECT_THAT(recorded.record,
              HasSubstr(R"({"is":"complete","ok":true,"reason":"tick_bound","invocations":3,)"));
}

TEST(Recorder, OnlyWholeRunsAreRecorded) {
  const CompiledGraph graph = TestTypes().compile(endless().text());
  Recorder recorder;
  Runtime runtime(graph, builtin_registry(), {.virtual_time = true, .journal = &recorder});
  EXPECT_FALSE(runtime.start());
}

}  // namespace
}  // namespace millrace::graph
