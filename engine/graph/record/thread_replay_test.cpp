#include "graph/record/thread_replay.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/record/record_fixture.h"
#include "graph/run/run_fixture.h"
#include "graph/run/run_options.h"
#include "loop/stop.h"

namespace millrace::graph {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Expects that a record of a run on threads replays the same, with the same outputs.
void expect_same(const RecordedRun& recorded, const TestTypes& types = {}) {
  const auto again = replay_text(recorded.record, types);
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_TRUE(again->is_same()) << "line " << again->first_divergence->line << ", at "
                                << again->first_divergence->place << ": recorded "
                                << again->first_divergence->recorded << ", now "
                                << again->first_divergence->now << "\n"
                                << recorded.record;
  EXPECT_EQ(values_and_times(again->run), values_and_times(recorded.run));
  EXPECT_EQ(again->run.invocations, recorded.run.invocations);
}

/// A pool between two domains: the edges between them overflow now and then, as threads have it.
RunText crossing() {
  return {.lanes = {"main: {type: event_loop}",
                    "pool: {type: thread_pool, max_threads: 3}",
                    "own: {type: isolated_thread}"},
          .components =
              {"id: s, type: core.counter, config: {count: 200, per_invocation: 4}, "
               "execution: {lane: main}",
               "id: w, type: core.linear, config: {factor: 3}, trigger_policy: {type: any_input}, "
               "execution: {lane: pool, reentrant: true}",
               "id: c, type: core.collect, trigger_policy: {type: any_input}, "
               "execution: {lane: own}",
               "id: b, type: core.linear, trigger_policy: {type: any_input}, "
               "execution: {lane: own}",
               "id: o, type: core.output, trigger_policy: {type: any_input}, "
               "execution: {lane: main}"},
          .edges = {
              "id: sw, kind: immediate, from: s.out, to: w.in, policy: {mode: queue, capacity: 8}",
              "id: wc, kind: async, from: w.out, to: c.in, policy: {mode: queue, capacity: 6, "
              "overflow: drop_oldest}",
              "id: wb, kind: async, from: w.out, to: b.in, policy: {mode: queue, capacity: 5, "
              "overflow: reject}",
              "id: co, kind: async, from: c.out, to: o.in, policy: {mode: queue, capacity: 4}",
              "id: bo, kind: delay, from: b.out, to: o.in, policy: {mode: queue, capacity: 4, "
              "overflow: drop_newest}"}};
}

TEST(ThreadReplay, G55_DomainsTakeTurnsAsTheyDid) {
  for (int i = 0; i < 20; ++i) {
    const RecordedRun recorded = record_on_threads(crossing().text(), {.until_idle = true});
    ASSERT_TRUE(recorded.run.ok);
    ASSERT_GT(recorded.run.outputs.size(), 0U);
    expect_same(recorded);
    if (HasFailure()) return;
  }
}

TEST(ThreadReplay, G23_G55_AFullEdgeHoldsTheReplayBackToo) {
  const RunText parts{
      .lanes = {"main: {type: event_loop}", "own: {type: isolated_thread}"},
      .components = {"id: s, type: core.counter, config: {count: 50, per_invocation: 2}, "
                     "execution: {lane: own}",
                     "id: o, type: core.output, trigger_policy: {type: any_input}, "
                     "execution: {lane: main}"},
      .edges = {"id: e, kind: async, from: s.out, to: o.in, policy: {mode: queue, capacity: 2, "
                "overflow: block}"}};
  const RecordedRun recorded = record_on_threads(parts.text(), {.until_idle = true});
  EXPECT_EQ(recorded.run.outputs.size(), 50U);
  EXPECT_THAT(recorded.record, HasSubstr(R"({"is":"resume")"));
  expect_same(recorded);
}

TEST(ThreadReplay, G55_WhatIsOutsideIsNotAskedAgain) {
  std::atomic<int> questions = 0;
  std::atomic<int> tasks = 0;
  TestTypes types;
  types.add_body("t.Ask", [&](const Invocation&, GraphContext& context) -> base::Status {
    MR_TRY(Payload answer, context.ask([&]() -> base::Result<Payload> {
      return Payload(static_cast<double>(++questions));
    }));
    context.publish("out", answer);
    return context.submit_task("out", [&](TaskContext&) -> base::Result<Payload> {
      if (++tasks == 2) return base::fail(base::ErrorCode::kUnavailable, "gone", "there");
      return Payload(std::int64_t{100});
    });
  });
  const RunText parts{
      .lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, max_threads: 2}"},
      .components =
          {"id: s, type: core.stdin, execution: {lane: main}",
           "id: t, type: t.Ask, trigger_policy: {type: any_input}, "
           "execution: {lane: pool, reentrant: true}",
           "id: o, type: core.output, trigger_policy: {type: any_input}, execution: {lane: main}"},
      .edges = {
          "id: st, kind: immediate, from: s.out, to: t.in, policy: {mode: queue, capacity: 8}",
          "id: to, kind: immediate, from: t.out, to: o.in, policy: {mode: queue, capacity: 8}",
          "id: tl, kind: async, from: t.out, to: o.late, policy: {mode: queue, capacity: 8}"}};
  std::vector<std::string> lines{"1", "\"\xC3\xA4\"", "3"};
  RuntimeRunnerOptions options{.until_idle = true};
  options.standard_input = [&, next = std::size_t{0}]() mutable -> std::optional<std::string> {
    if (next == lines.size()) return std::nullopt;
    return lines[next++];
  };
  options.on_output = [](const OutputRecord&) {};
  const RecordedRun recorded = record_on_threads(parts.text(), options, types);
  EXPECT_TRUE(recorded.run.ok);
  EXPECT_EQ(questions, 3);
  EXPECT_EQ(tasks, 3);
  expect_same(recorded, types);
  EXPECT_EQ(questions, 3) << "the record has the answers";
  EXPECT_EQ(tasks, 3);
}

TEST(ThreadReplay, G45_G55_BodiesAreToldAgainThatTheyAreCancelled) {
  TestTypes types;
  std::optional<loop::StopSource> source;
  types.add_body("t.Work",
                 [&](const Invocation& invocation, GraphContext& context) -> base::Status {
                   std::int64_t rounds = 0;
                   for (; !invocation.cancel_requested(); ++rounds) {
                     if (invocation.epoch() == 3 && rounds == 5 && source) source->request_stop();
                     if (invocation.epoch() < 3 && rounds == 9) break;
                   }
                   context.publish("out", Payload(rounds));
                   return {};
                 });
  const RunText parts{.components = {"id: t, type: t.Work, execution: {lane: main}",
                                     "id: o, type: core.output, trigger_policy: {type: any_input}, "
                                     "execution: {lane: main}"},
                      .edges = {"id: e, kind: immediate, from: t.out, to: o.in"}};
  source.emplace();
  RuntimeRunnerOptions options;
  options.stop_token = source->token();
  const RecordedRun recorded = record_on_threads(parts.text(), options, types);
  EXPECT_EQ(recorded.run.scheduler_stop_reason, SchedulerStopReason::kStopRequested);
  EXPECT_EQ(values(recorded.run), (Strings{"9", "9", "6"}));
  source.reset();  // in the replay nobody stops it
  expect_same(recorded, types);
}

TEST(ThreadReplay, G44_G55_AnInvocationThatWasGivenUpIsNotCalled) {
  // The thread of the body outlives the run.
  struct Hang {
    std::latch is_given_up{1};
    std::atomic<int> calls = 0;
  };
  const auto hang = std::make_shared<Hang>();
  TestTypes types;
  types.add_body("t.Hang", [hang](const Invocation&, GraphContext&) -> base::Status {
    ++hang->calls;
    hang->is_given_up.wait();
    return {};
  });
  const RunText parts{
      .lanes = {"main: {type: event_loop}", "pool: {type: thread_pool, max_threads: 2}"},
      .components = {"id: s, type: core.counter, config: {count: 2}, execution: {lane: main}",
                     "id: h, type: t.Hang, trigger_policy: {type: any_input}, execution: {lane: "
                     "pool, abandon_after: 2ms, on_error: isolate}",
                     "id: o, type: core.output, trigger_policy: {type: any_input}, "
                     "execution: {lane: main}"},
      .edges = {"id: sh, kind: immediate, from: s.out, to: h.in",
                "id: so, kind: immediate, from: s.out, to: o.in"}};
  const RecordedRun recorded = record_on_threads(parts.text(), {.until_idle = true}, types);
  EXPECT_EQ(recorded.run.metric("runtime.component.abandoned_count", "h"), 1);
  hang->is_given_up.count_down();
  expect_same(recorded, types);
  EXPECT_EQ(hang->calls, 1);
}

TEST(ThreadReplay, G55_AnInputThatWasFullIsFullAgain) {
  const RunText parts{
      .components = {"id: in, type: core.input, config: {capacity: 2}, execution: {lane: main}"}};
  RuntimeRunnerOptions options;
  // All are due before any domain can run.
  for (int i = 0; i < 3; ++i) {
    options.injections.push_back({.at = 0ms, .component = "in", .value = Payload(true)});
  }
  const RecordedRun recorded = record_on_threads(parts.text(), options);
  ASSERT_EQ(recorded.run.errors.size(), 1U);
  EXPECT_EQ(recorded.run.errors.front().code, "channel_overflow");
  expect_same(recorded);
}

TEST(ThreadReplay, G44_G55_ATaskThatTookTooLongIsCountedAgain) {
  TestTypes types;
  types.add_body("t.Ask", [](const Invocation&, GraphContext& context) -> base::Status {
    const auto work = [](TaskContext& task) -> base::Result<Payload> {
      while (!task.cancel_requested()) task.spend(100us);
      return Payload(true);
    };
    return context.submit_task("out", work, 1ms);
  });
  const RunText parts{.components = {"id: s, type: core.counter, config: {count: 2}, "
                                     "execution: {lane: main}",
                                     "id: t, type: t.Ask, trigger_policy: {type: any_input}, "
                                     "execution: {lane: main}",
                                     "id: o, type: core.output, trigger_policy: {type: any_input}, "
                                     "execution: {lane: main}"},
                      .edges = {"id: st, kind: immediate, from: s.out, to: t.in",
                                "id: to, kind: async, from: t.out, to: o.in, "
                                "policy: {mode: queue, capacity: 8}"}};
  const RecordedRun recorded = record_on_threads(parts.text(), {.until_idle = true}, types);
  const auto overruns = [](const RuntimeRunnerResult& run) {
    return run.metric("runtime.component.budget_overrun_count", "t");
  };
  ASSERT_EQ(overruns(recorded.run), 2);
  expect_same(recorded, types);
  const auto again = replay_text(recorded.record, types);
  ASSERT_TRUE(again);
  EXPECT_EQ(overruns(again->run), 2);
}

TEST(ThreadReplay, G55_TheFirstDivergenceIsNamed) {
  RuntimeRunnerOptions options{.until_idle = true};
  options.injections = {{.at = 0ms, .component = "in", .value = Payload(std::int64_t{7})}};
  const RunText parts{.lanes = {"main: {type: event_loop}", "own: {type: isolated_thread}"},
                      .components = {"id: in, type: core.input, execution: {lane: main}",
                                     "id: half, type: core.linear, config: {factor: 0.5}, "
                                     "trigger_policy: {type: any_input}, execution: {lane: own}",
                                     "id: o, type: core.output, trigger_policy: {type: any_input}, "
                                     "execution: {lane: own}"},
                      .edges = {"id: a, kind: async, from: in.out, to: half.in",
                                "id: b, kind: immediate, from: half.out, to: o.in"}};
  const RecordedRun recorded = record_on_threads(parts.text(), options);
  expect_same(recorded);
  const auto place_after = [&](std::string_view old, std::string_view by) {
    const auto again = replay_text(sign_again(replaced(recorded.record, old, by)));
    if (!again) return again.error().to_string();
    return again->is_same() ? std::string("the same") : again->first_divergence->place;
  };
  EXPECT_EQ(place_after(R"("value":3.5)", R"("value":4.5)"), "half");
  EXPECT_EQ(place_after(R"("took":["a#1"])", R"("took":["a#2"])"), "a");
  EXPECT_EQ(place_after("factor: 0.5", "factor: 1.5"), "half") << "another graph";
  EXPECT_EQ(place_after(R"({"is":"call","domain":"own","epoch":1,"component":"half","call":1)",
                        R"({"is":"call","domain":"own","epoch":1,"component":"half","call":2)"),
            "half");
  EXPECT_EQ(place_after(R"({"is":"begin","domain":"own")", R"({"is":"begin","domain":"you")"),
            "begin")
      << "there is no such domain";
}

/// The record without its line of that number.
std::string without_line(const std::string& record, std::size_t number) {
  std::istringstream lines(record);
  std::string result;
  std::size_t at = 0;
  for (std::string line; std::getline(lines, line); ++at) {
    if (at != number) result += line + "\n";
  }
  return result;
}

// Whoever signs again may write anything into a record; a replay must end all the same.
TEST(ThreadReplay, G55_ARecordWithoutOneOfItsLinesIsReplayedUpToThere) {
  RunText parts = crossing();
  parts.components[0] =
      "id: s, type: core.counter, config: {count: 12, per_invocation: 4}, "
      "execution: {lane: main}";
  const RecordedRun recorded = record_on_threads(parts.text(), {.until_idle = true});
  const auto line_count = static_cast<std::size_t>(std::ranges::count(recorded.record, '\n'));
  ASSERT_GT(line_count, 10U);
  std::size_t noticed_count = 0;
  for (std::size_t line = 1; line + 1 < line_count; ++line) {
    const auto again = replay_text(sign_again(without_line(recorded.record, line)));
    if (!again || !again->is_same()) ++noticed_count;
  }
  EXPECT_EQ(noticed_count, line_count - 2);
}

TEST(ThreadReplay, G55_TimesThatCannotBeAreRefused) {
  const RecordedRun recorded = record_on_threads(crossing().text(), {.until_idle = true});
  const std::string& record = recorded.record;
  const std::size_t at = record.find("\"time\":", record.find("\"is\":\"begin\"")) + 7;
  const std::size_t end = record.find_first_not_of("0123456789", at);
  for (const char* time : {"9223372036854775807", "-1", "\"now\""}) {
    std::string other = record;
    other.replace(at, end - at, time);
    const auto again = replay_text(sign_again(other));
    ASSERT_FALSE(again) << time;
    EXPECT_THAT(again.error().to_string(), ::testing::HasSubstr("'time' is not a time of a run"));
  }
}

}  // namespace
}  // namespace millrace::graph
