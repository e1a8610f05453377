#include "apps/rankd/line_server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <semaphore>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "apps/rankd/descriptor_fixture.h"
#include "apps/rankd/rankd_fixture.h"
#include "base/format.h"
#include "base/log/log.h"
#include "base/log/log_sink.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "rank/request.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Serves lines of a file, and gives what was written.
class Served {
 public:
  Served(host::Engine& engine, std::string_view lines, std::int64_t concurrency = 64)
      : Served(engine, lines, LineServerOptions{.concurrency = concurrency}) {}
  Served(host::Engine& engine, std::string_view lines, const LineServerOptions& options) {
    const OpenFile in_file(folder_.write("in", lines), O_RDONLY);
    const OpenFile out_file(folder_.write("out", ""), O_WRONLY);
    StopFlag stop;
    LineReader in(in_file.descriptor(), "in", stop, rank::RequestLimits().json.text_bytes_max);
    Output out(out_file.descriptor(), "out");
    all_ok = serve_lines(engine, in, out, stop, options).value();
    std::ifstream file(folder_.path() + "/out");
    text.assign(std::istreambuf_iterator<char>(file), {});
    std::istringstream parts(text);
    for (std::string answer; std::getline(parts, answer);) answers.push_back(answer);
  }
  bool all_ok = false;
  std::string text;
  std::vector<std::string> answers;

 private:
  TempFolder folder_;
};

class LineServerTest : public ::testing::Test {
 protected:
  LineServerTest() {
    flags_.plan_name = "simple_plan";
    flags_.loops = 2;
    project_ = open_project(flags_);
    engine_ = start_engine(flags_, *project_);
  }
  Flags flags_ = repository_flags();
  std::unique_ptr<host::Project> project_;
  std::unique_ptr<host::Engine> engine_;
};

TEST_F(LineServerTest, CLI1_OneAnswerPerLineInOrder) {
  std::string lines;
  for (int i = 0; i < 1000; ++i)
    lines += base::format("{{\"user_id\": {}, \"request_id\": \"r{}\"}}\n", i % 50 + 1, i);
  for (const std::int64_t concurrency : {1, 3, 64}) {
    const Served served(*engine_, lines, concurrency);
    EXPECT_TRUE(served.all_ok);
    ASSERT_EQ(served.answers.size(), 1000U);
    for (std::size_t i = 0; i < 1000; ++i)
      EXPECT_THAT(served.answers[i], HasSubstr(base::format(R"("request_id":"r{}",)", i)));
  }
}

TEST_F(LineServerTest, CLI1_ABadLineIsAnsweredAndTheNextServed) {
  const Served served(*engine_, "nonsense\n{\"user_id\": 1}");
  EXPECT_FALSE(served.all_ok);
  ASSERT_EQ(served.answers.size(), 2U);
  EXPECT_THAT(served.answers[0], HasSubstr(R"("code":"bad_json")"));
  EXPECT_THAT(served.answers[1], HasSubstr(R"("candidates":[{"id":1,)"));
}

TEST_F(LineServerTest, CLI11_ALineThatIsTooLongIsAnsweredAndTheNextServed) {
  const std::string longer(3UL << 20, ' ');
  const Served served(*engine_, "{\"user_id\": 1" + longer + "}\n{\"user_id\": 1}\n");
  EXPECT_FALSE(served.all_ok);
  ASSERT_EQ(served.answers.size(), 2U);
  EXPECT_THAT(served.answers[0], HasSubstr(R"("code":"too_large")"));
  EXPECT_THAT(served.answers[1], HasSubstr(R"("candidates":[{"id":1,)"));
}

TEST_F(LineServerTest, CLI1_WhoeverWaitsForEachAnswerGetsIt) {
  std::array<int, 2> requests{};
  std::array<int, 2> answers{};
  ASSERT_EQ(pipe(requests.data()), 0);
  ASSERT_EQ(pipe(answers.data()), 0);
  StopFlag stop;
  LineReader in(requests[0], "stdin", stop, 1000);
  LineReader answer_reader(answers[0], "answers", stop, 100'000);
  Output out(answers[1], "stdout");
  std::thread server(
      [&] { EXPECT_TRUE(serve_lines(*engine_, in, out, stop, {}).value_or(false)); });
  // A line is sent only when the answers of all before are there, and its first half before that.
  std::string answer;
  for (int i = 0; i < 100; ++i) {
    const std::string line = base::format("{{\"user_id\": 1, \"request_id\": \"r{}\"}}\n{{", i);
    const std::string_view sent = std::string_view(line).substr(i == 0 ? 0 : 1);
    EXPECT_EQ(::write(requests[1], sent.data(), sent.size()), std::ssize(sent));
    EXPECT_TRUE(answer_reader.next(answer));
    EXPECT_THAT(answer, HasSubstr(base::format(R"("request_id":"r{}",)", i)));
  }
  const std::string_view last = "\"user_id\": 1}";
  EXPECT_EQ(::write(requests[1], last.data(), last.size()), std::ssize(last));
  close(requests[1]);
  server.join();
  for (const int descriptor : {requests[0], answers[0], answers[1]}) close(descriptor);
}

TEST_F(LineServerTest, CLI9_AnOutputThatCannotBeWrittenEndsReading) {
  // The input stays open: only the failed output can end this.
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const std::string_view line = "{\"user_id\": 1}\n";
  ASSERT_EQ(::write(ends[1], line.data(), line.size()), std::ssize(line));
  const OpenFile full("/dev/full", O_WRONLY);
  StopFlag stop;
  LineReader in(ends[0], "stdin", stop, 1000);
  Output out(full.descriptor(), "stdout");
  const auto served = serve_lines(*engine_, in, out, stop, {});
  ASSERT_FALSE(served);
  EXPECT_THAT(served.error().message(), HasSubstr("Cannot write to stdout"));
  close(ends[0]);
  close(ends[1]);
}

TEST_F(LineServerTest, CLI9_AnInputThatCannotBeReadIsAnError) {
  const TempFolder folder;
  const OpenFile in_file(folder.path(), O_RDONLY);
  const OpenFile out_file(folder.write("out", ""), O_WRONLY);
  StopFlag stop;
  LineReader in(in_file.descriptor(), "stdin", stop, 1000);
  Output out(out_file.descriptor(), "stdout");
  const auto served = serve_lines(*engine_, in, out, stop, {});
  ASSERT_FALSE(served);
  EXPECT_THAT(served.error().message(), HasSubstr("Cannot read stdin"));
}

TEST(LineServerOrderTest, CLI1_ASlowRequestHoldsLaterAnswersButNotLaterRequests) {
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.plan_files = {
      folder.write("nap.plan.json", R"({"schema_version": 1, "name": "nap", "nodes": [
      {"id": "src", "op": "fixed_source", "inputs": [], "params": {"row_count": 1}},
      {"id": "nap", "op": "sleep", "inputs": ["src"], "params": {"duration_ms": 30}}],
      "outputs": ["nap"], "output_keys": ["id"]})")};
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  std::string lines = R"({"user_id": 1, "request_id": "slow", "plan": "nap"})"
                      "\n";
  for (int i = 0; i < 20; ++i)
    lines +=
        base::format(R"({{"user_id": 1, "request_id": "r{}", "plan": "simple_plan"}})", i) + "\n";
  const Served served(*engine, lines, 2);
  ASSERT_EQ(served.answers.size(), 21U);
  EXPECT_THAT(served.answers[0], HasSubstr(R"("request_id":"slow")"));
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_THAT(served.answers[i + 1], HasSubstr(base::format(R"("request_id":"r{}",)", i)));
}

TEST(LineServerAdmissionTest, B1_ARequestThatMayNotStartYetWaitsForItsTurn) {
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.high_water = 1;
  flags.plan_name = "late";
  flags.plan_files = {
      folder.write("late.plan.json", R"({"schema_version": 1, "name": "late", "nodes": [
      {"id": "src", "op": "fixed_source", "inputs": [], "params": {"row_count": 1}},
      {"id": "busy", "op": "busy_cpu", "inputs": ["src"], "params": {"busy_wait_ms": 30}}],
      "outputs": ["busy"], "output_keys": ["id"]})")};
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  // The first two are answered at their deadline while their bodies go on, which closes the gate.
  const Served served(*engine,
                      R"({"user_id": 1, "deadline_ms": 1})"
                      "\n"
                      R"({"user_id": 1, "deadline_ms": 1})"
                      "\n"
                      R"({"user_id": 1})"
                      "\n",
                      1);
  EXPECT_FALSE(served.all_ok);
  EXPECT_THAT(served.text, Not(HasSubstr(R"("code":"busy")")));
  EXPECT_THAT(served.text, HasSubstr(R"("candidates":[{"id":1,)"));
}

int unread_bytes(int descriptor) {
  int count = 0;
  EXPECT_EQ(ioctl(descriptor, FIONREAD, &count), 0);
  return count;
}

/// An artifact whose one node waits.
std::string nap_plan(const char* name, int duration_ms) {
  return base::format(
      R"({{"schema_version": 1, "name": "{}", "nodes": [
          {{"id": "src", "op": "fixed_source", "inputs": [], "params": {{"row_count": 1}}}},
          {{"id": "nap", "op": "sleep", "inputs": ["src"], "params": {{"duration_ms": {}}}}}],
          "outputs": ["nap"], "output_keys": ["id"]}})",
      name,
      duration_ms);
}

/// Serves one line that takes two seconds and others that take one, two at a time. Raises the stop
/// when they were read and the first two run. Gives the number of answers.
std::ptrdiff_t answers_of_stopped_lines(int line_count) {
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.plan_files = {folder.write("long.plan.json", nap_plan("long", 2000)),
                      folder.write("short.plan.json", nap_plan("short", 1000))};
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  std::array<int, 2> requests{};
  EXPECT_EQ(pipe(requests.data()), 0);
  const OpenFile answers(folder.write("out", ""), O_WRONLY);
  StopFlag stop;
  LineReader in(requests[0], "stdin", stop, 1000);
  Output out(answers.descriptor(), "out");
  std::thread server([&] {
    EXPECT_TRUE(serve_lines(*engine, in, out, stop, {.concurrency = 2}).value_or(false));
  });
  std::string lines = R"({"user_id": 1, "plan": "long"})"
                      "\n";
  for (int line = 1; line < line_count; ++line)
    lines += R"({"user_id": 1, "plan": "short"})"
             "\n";
  EXPECT_EQ(::write(requests[1], lines.data(), lines.size()), std::ssize(lines));
  // Then the reader has them. It may not have come to where it waits; then it looks for the stop in
  // another place.
  while (unread_bytes(requests[0]) > 0 || engine->admission().stats().run_count < 2)
    std::this_thread::yield();
  stop.raise();
  server.join();
  for (const int descriptor : requests) close(descriptor);
  std::ifstream file(folder.path() + "/out");
  return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
}

TEST(LineServerStopTest, CLI10_AStopForgetsTheLinesThatWereReadAhead) {
  // The reading thread waits for more lines.
  EXPECT_LE(answers_of_stopped_lines(6), 3);
}

TEST(LineServerStopTest, CLI10_AStopForgetsThemWhileTheFirstAnswerIsLate) {
  // More lines than are read ahead: the reading thread waits for the first answer to be written.
  EXPECT_LE(answers_of_stopped_lines(20), 3);
}

/// Keeps a loop until it is let go.
struct Hold : loop::Job {
  Hold() : Job([](Job& job) { static_cast<Hold&>(job).keep(); }) {}
  void keep() {
    begun.release();
    end.acquire();
  }
  std::binary_semaphore begun{0};
  std::binary_semaphore end{0};
};

/// Gives a loop many lines at a time and then something else to do. Says whether an answer was
/// written before the loop came to that.
bool writes_before_the_loop_is_through(host::Engine& engine) {
  std::array<int, 2> requests{};
  std::array<int, 2> answers{};
  EXPECT_EQ(pipe(requests.data()), 0);
  EXPECT_EQ(pipe(answers.data()), 0);
  StopFlag stop;
  LineReader in(requests[0], "stdin", stop, 1000);
  LineReader answer_reader(answers[0], "answers", stop, 100'000);
  Output out(answers[1], "stdout");
  std::thread server([&] { EXPECT_TRUE(serve_lines(engine, in, out, stop, {}).value_or(false)); });
  const auto send = [&](const std::string& text) {
    EXPECT_EQ(::write(requests[1], text.data(), text.size()), std::ssize(text));
    while (unread_bytes(requests[0]) > 0) std::this_thread::yield();
  };
  std::string answer;
  send("{\"user_id\": 1}\n");
  EXPECT_TRUE(answer_reader.next(answer));  // every thread has begun
  Hold before;
  engine.loop(0).post(before);
  before.begun.acquire();
  std::string lines;
  for (int line = 0; line < 20; ++line) lines += "{\"user_id\": 1}\n";
  send(lines);
  send("\n");  // who reads this has given the lines to the loop
  Hold behind;
  engine.loop(0).post(behind);
  before.end.release();
  behind.begun.acquire();
  bool was_written = false;
  for (int look = 0; look < 20'000 && !was_written; ++look, std::this_thread::yield())
    was_written = unread_bytes(answers[0]) > 0;
  behind.end.release();
  for (int line = 0; line < 20; ++line) EXPECT_TRUE(answer_reader.next(answer));
  close(requests[1]);
  server.join();
  for (const int descriptor : {requests[0], answers[0], answers[1]}) close(descriptor);
  return was_written;
}

TEST(LineServerWakeTest, CLI1_TheWriterIsWokenOnceForWhatALoopHasToDo) {
  Flags flags = repository_flags();
  flags.plan_name = "simple_plan";
  flags.loops = 1;
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  // A writer that has not gone to sleep yet needs no wake and may write early, so once is enough.
  bool always_early = true;
  for (int attempt = 0; attempt < 5 && always_early; ++attempt)
    always_early = writes_before_the_loop_is_through(*engine);
  EXPECT_FALSE(always_early);
}

TEST_F(LineServerTest, EmptyLinesMeanNothing) {
  const Served served(*engine_, "\n  \t\r\n\n");
  EXPECT_TRUE(served.all_ok);
  EXPECT_EQ(served.text, "");
}

TEST_F(LineServerTest, SlowRequestsAreLoggedWithPlanAndTime) {
  base::MemoryLogSink sink;
  base::Logger log(sink, {.repeats = {.burst_max = 3}});
  std::string lines;
  for (int i = 0; i < 10; ++i)
    lines += base::format("{{\"user_id\": 1, \"request_id\": \"r{}\"}}\n", i);
  const Served quick(*engine_, lines, {.slow = std::chrono::hours(1), .log = &log});
  EXPECT_THAT(sink.lines(), IsEmpty());
  const Served slow(*engine_, lines, {.slow = base::Duration(0), .log = &log});
  EXPECT_TRUE(slow.all_ok);
  ASSERT_EQ(sink.lines().size(), 3U) << "more of them in a second are only counted";
  EXPECT_THAT(sink.lines()[0],
              AllOf(HasSubstr(R"("event":"request_slow","request_id":"r0","engine_request_id":")"),
                    HasSubstr(R"("plan":"simple_plan","outcome":"ok","took_ms":)")));
}

TEST(LineServerAdmissionTest, RequestsThatHadToWaitAreLogged) {
  base::MemoryLogSink sink;
  base::Logger log(sink);
  const TempFolder folder;
  Flags flags = repository_flags();
  flags.plan_name = "nap";
  flags.loops = 1;
  flags.inflight_max = 1;
  flags.plan_files = {
      folder.write("nap.plan.json", R"({"schema_version": 1, "name": "nap", "nodes": [
      {"id": "src", "op": "fixed_source", "inputs": [], "params": {"row_count": 1}},
      {"id": "nap", "op": "sleep", "inputs": ["src"], "params": {"duration_ms": 20}}],
      "outputs": ["nap"], "output_keys": ["id"]})")};
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  std::string lines;
  for (int i = 0; i < 4; ++i) lines += "{\"user_id\": 1}\n";
  lines += "{\"user_id\": 1, \"plan\": \"no\\u001bne\"}\n";
  const Served served(*engine, lines, {.concurrency = 64, .log = &log});
  EXPECT_EQ(served.answers.size(), 5U);
  EXPECT_THAT(sink.lines(),
              Contains(AllOf(HasSubstr(R"("event":"request_refused")"),
                             HasSubstr(R"("plan":"nap","tries":)"))));
}

}  // namespace
}  // namespace millrace::rankd::testing
