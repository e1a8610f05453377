// Jobs while programs and servers die: nothing is lost, nothing is there twice.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "base/random.h"
#include "batch_fixture.h"
#include "stalling_proxy.h"

namespace millrace::e2e {
namespace {

namespace fs = std::filesystem;
using live::NatsServer;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

/// Whether `./dev test --long` runs: more lines in the kill test, and lines of dead workers come
/// again after as long a time as users have.
bool is_long() { return std::getenv("MILLRACE_BATCH_LINES") != nullptr; }
/// How many lines the kill test has.
int line_count() { return is_long() ? std::atoi(std::getenv("MILLRACE_BATCH_LINES")) : 5000; }

/// How long lines of dead workers wait in the short forms. Long enough that a line which is unlucky
/// again and again is not given up.
constexpr std::chrono::seconds kShortWait(5);
/// How long the kill test leaves two workers alone, however few lines they do meanwhile.
constexpr base::Duration kKillPeriod = std::chrono::seconds(2);

TEST(NatsBatchFaultsTest, JOB1_JOB2_JOB6_KilledWorkersAndServersLoseAndDoubleNothing) {
  NatsServer server(with_jetstream());
  const Root root;
  const auto lines = static_cast<std::uint64_t>(line_count());
  const std::string count = std::to_string(lines);
  const ShellResult begun = root.run(batch_shell(server) + "lines " + count +
                                     " >in; batch submit in --job k --plan complex_dag\n");
  ASSERT_THAT(begun.out, HasSubstr("lines are queued")) << begun.err;
  JobBench bench(server, root, "k");
  bench.extend(std::chrono::seconds(lines / 50));
  if (!is_long()) bench.deliver_again_after(kShortWait);
  const std::array<std::string, 2> logs{"first.log", "second.log"};
  const std::vector<std::string> all_logs(logs.begin(), logs.end());
  std::array<std::unique_ptr<live::Child>, 2> workers{bench.work(logs[0]), bench.work(logs[1])};
  // One worker after the other is killed, every two seconds, in a short job at each sixteenth of
  // it; the server at a third and at two thirds.
  std::size_t worker_kills = 0;
  std::uint64_t server_kills = 0;
  std::uint64_t done = 0;
  while (done < lines * 7 / 8) {
    const std::size_t victim = worker_kills % 2;
    const auto next = bench.wait_for(done + lines / 16, *workers[1 - victim], kKillPeriod);
    ASSERT_TRUE(next) << bench.story(all_logs);
    done = *next;
    workers[victim]->kill();
    ++worker_kills;
    if (done >= lines * (server_kills + 1) / 3) {
      server.kill();
      server.start();
      ++server_kills;
    }
    // A worker that cannot connect when it starts says so and ends.
    workers[victim] = bench.work(logs[victim]);
  }
  EXPECT_EQ(server_kills, 2U);
  EXPECT_GE(worker_kills, 4U);
  std::printf("%zu workers were killed\n", worker_kills);
  for (const auto& worker : workers)
    EXPECT_EQ(bench.wait_for_end(*worker), 0) << bench.story(all_logs);
  EXPECT_THAT(bench.ledger("in"), HasSubstr("ledger " + count + "\n"));
  EXPECT_TRUE(bench.wait_for(lines, *workers[0]));
}

/// A job of so many lines, queued.
void submit(const NatsServer& server, const Root& root, int lines) {
  const ShellResult result = root.run(batch_shell(server) + "lines " + std::to_string(lines) +
                                      " >in; batch submit in --job k --plan complex_dag\n");
  ASSERT_THAT(result.out, HasSubstr("lines are queued")) << result.err;
}

TEST(NatsBatchFaultsTest, JOB1_JOB6_AWorkerThatWasStoppedPastItsTimeStoresNothingTwice) {
  const NatsServer server(with_jetstream());
  const Root root;
  submit(server, root, 2000);
  JobBench bench(server, root, "k");
  if (!is_long()) bench.deliver_again_after(kShortWait);
  const auto stopped = bench.work("stopped.log");
  ASSERT_TRUE(bench.wait_for(1, *stopped, std::chrono::seconds(60)))
      << bench.story({"stopped.log"});
  stopped->signal(SIGSTOP);
  // Its lines come to another one later.
  const auto other = bench.work("other.log");
  EXPECT_EQ(bench.wait_for_end(*other), 0) << bench.story({"stopped.log", "other.log"});
  stopped->signal(SIGCONT);
  EXPECT_EQ(bench.wait_for_end(*stopped), 0) << bench.story({"stopped.log", "other.log"});
  EXPECT_THAT(root.read("stopped.log"), MatchesRegex("(.|\n)*, [1-9][0-9]* were there(.|\n)*"));
  EXPECT_THAT(bench.ledger("in"), HasSubstr("ledger 2000\n"));
}

TEST(NatsBatchFaultsTest, JOB4_ASubmitThatIsKilledGoesOnWhereItStopped) {
  const NatsServer server(with_jetstream());
  const Root root;
  (void)root.run(batch_shell(server) + "lines 4000 >in\n");
  JobBench bench(server, root, "k");
  const std::vector<std::string> words{"in", "--plan", "complex_dag"};
  base::SplitMix64 random(20);
  std::uint64_t queued = 0;
  for (int round = 0; round < 5; ++round) {
    queued += 1 + random.below(700);
    const auto killed = bench.start("submit", "submit.log", words);
    ASSERT_TRUE(bench.wait_until(
        [&](const jobs::JobState& state) { return state.queued_count >= queued; }, *killed))
        << bench.story({"submit.log"});
    killed->kill();
  }
  const auto last = bench.start("submit", "submit.log", words);
  EXPECT_EQ(bench.wait_for_end(*last), 0) << bench.story({"submit.log"});
  const std::string stream = bench.store().names().queue_stream();
  const auto held = bench.jetstream().find_stream(stream);
  ASSERT_TRUE(held && *held);
  EXPECT_EQ((*held)->message_count, 4000U) << "each line once";
  EXPECT_EQ(bench.jetstream().subjects(stream, bench.store().names().queue_prefix() + "*")->size(),
            4000U);
}

TEST(NatsBatchFaultsTest, JOB8_ALineThatEndsItsWorkersIsGivenUp) {
  const NatsServer server(with_jetstream());
  const Root root;
  root.write("p/slow.plan.json",
             R"({"schema_version":1,"name":"slow","nodes":[)"
             R"({"id":"src","op":"fixed_source","inputs":[],"params":{"row_count":2}},)"
             R"({"id":"wait","op":"sleep","inputs":["src"],"params":{"duration_ms":60000}}],)"
             R"("outputs":["wait"],"output_keys":["id"]})");
  (void)root.run(batch_shell(server) + "lines 1 >in; batch submit in --job k --plan slow\n");
  JobBench bench(server, root, "k");
  bench.deliver_again_after(std::chrono::seconds(2));
  const std::vector<std::string> words{"--plan_dir", "p", "--max-attempts", "3"};
  for (std::uint64_t attempt = 1; attempt <= 3; ++attempt) {
    // Whatever is in the line: its worker dies while it runs.
    const auto victim = bench.start("work", "victim.log", words);
    ASSERT_TRUE(bench.wait_until(
        [&](const jobs::JobState& state) {
          return state.is_done() ||
                 (state.in_flight_count == 1 && state.duplicate_count + 1 >= attempt);
        },
        *victim))
        << bench.story({"victim.log"});
    victim->kill();
  }
  const auto last = bench.start("work", "last.log", words);
  EXPECT_EQ(bench.wait_for_end(*last), 0) << bench.story({"victim.log", "last.log"});
  const auto found = bench.jetstream().find_last(bench.store().names().result_stream(),
                                                 bench.store().names().result_subject(0));
  ASSERT_TRUE(found && *found);
  EXPECT_THAT((*found)->data, HasSubstr(R"("code":"gave_up")"));
}

TEST(NatsBatchFaultsTest, JOB10_AFullStreamEndsWorkersAndLosesNothing) {
  const NatsServer server(with_jetstream());
  const Root root;
  submit(server, root, 300);
  JobBench bench(server, root, "k");
  const std::string stream = bench.store().names().result_stream();
  const auto resize = [&](const std::string& bytes) {
    const std::string config =
        R"({"name":"MR_k_R","subjects":["mr.k.r.*","mr.k.f.*","mr.k.manifest"],"retention":"limits",)"
        R"("storage":"file","discard":"new","max_bytes":)" +
        bytes +
        R"(,"num_replicas":1,"max_msgs_per_subject":1,"discard_new_per_subject":true,)"
        R"("allow_direct":true,"max_age":604800000000000,"duplicate_window":120000000000})";
    const auto answer = bench.box().ask_and_wait(
        {.subject = "$JS.API.STREAM.UPDATE." + stream, .data = config}, nats::JetStream::kLimit);
    return answer ? answer->data : answer.error().message();
  };
  ASSERT_THAT(resize("20000"), Not(HasSubstr("error")));
  const auto full = bench.work("full.log");
  EXPECT_EQ(bench.wait_for_end(*full), 1) << bench.story({"full.log"});
  EXPECT_THAT(root.read("full.log"), HasSubstr("rankd: no_space: the stream MR_k_R is full"));
  ASSERT_THAT(resize("10737418240"), Not(HasSubstr("error")));
  if (!is_long()) {
    // The worker gave its lines back for half a minute; a new consumer has never heard of that.
    ASSERT_TRUE(bench.jetstream().delete_consumer(bench.store().names().queue_stream(),
                                                  jobs::JobStore::kConsumer));
    bench.deliver_again_after(kShortWait);
  }
  const auto second = bench.work("second.log");
  EXPECT_EQ(bench.wait_for_end(*second), 0) << bench.story({"full.log", "second.log"});
  EXPECT_THAT(bench.ledger("in"), HasSubstr("ledger 300\n"));
}

TEST(NatsBatchFaultsTest, JOB10_AServerWithoutRoomSaysSoBeforeAnythingIsQueued) {
  const NatsServer server({.jetstream = true, .store_limits = "max_file: 1MB"});
  const Root root;
  const ShellResult result = root.run(batch_shell(server) +
                                      "lines 3 >in; batch submit in --job k --plan complex_dag; "
                                      "echo \"submit $?\"; batch status --job k\n");
  EXPECT_THAT(result.out, HasSubstr("submit 1\n"));
  EXPECT_THAT(result.err, HasSubstr("rankd: no_space: Cannot make the stream MR_k_R"));
  EXPECT_THAT(result.err, HasSubstr("There is no job 'k'"));
}

TEST(NatsBatchFaultsTest, JOB1_JOB6_ANetworkThatSwallowsEverythingForAWhileCostsNothing) {
  const NatsServer server(with_jetstream());
  const Root root;
  submit(server, root, 600);
  JobBench bench(server, root, "k");
  if (!is_long()) bench.deliver_again_after(kShortWait);
  live::StallingProxy network(server.port());
  bench.set_url("nats://127.0.0.1:" + std::to_string(network.port()));
  const auto worker = bench.work("worker.log");
  ASSERT_TRUE(bench.wait_for(100, *worker)) << bench.story({"worker.log"});
  network.stall();
  // Two pings of 2 s are not answered, so the worker looks for another connection; then the old one
  // and all it has sent is lost.
  EXPECT_TRUE(network.wait_for_connections(2, std::chrono::seconds(60)));
  network.resume();
  EXPECT_EQ(bench.wait_for_end(*worker), 0) << bench.story({"worker.log"});
  EXPECT_THAT(bench.ledger("in"), HasSubstr("ledger 600\n"));
}

/// The messages of the streams of a job, as the server has them on its disk.
class StoredMessages {
 public:
  explicit StoredMessages(const NatsServer& server)
      : streams_(server.file("jetstream/$G/streams")) {}

  /// Remembers them. The server must not run.
  void keep() const { copy(streams_, kept_.path()); }
  /// Makes them what they were. The server must not run.
  void put_back() const { copy(kept_.path(), streams_); }

 private:
  static void copy(const fs::path& from, const fs::path& to) {
    for (const char* const stream : {"MR_k_Q", "MR_k_R"}) {
      const fs::path folder = to / stream / "msgs";
      fs::remove_all(folder);
      fs::create_directories(folder);
      fs::copy(from / stream / "msgs", folder);
    }
  }
  const fs::path streams_;
  const live::TempFolder kept_;
};

TEST(NatsBatchFaultsTest, JOB6_AConsumerThatPassedOverQueuedLinesIsMadeAnew) {
  NatsServer server(with_jetstream());
  const Root root;
  submit(server, root, 400);
  const StoredMessages messages(server);
  server.kill();
  messages.keep();
  server.start();
  JobBench bench(server, root, "k");
  const auto before = bench.work("before.log");
  ASSERT_EQ(bench.wait_for_end(*before), 0) << bench.story({"before.log"});
  // As after a crash that only the state of the consumer has survived: all lines are queued, none
  // has a result, and the consumer has delivered them all.
  server.kill();
  messages.put_back();
  server.start();
  const auto after = bench.work("after.log");
  EXPECT_EQ(bench.wait_for_end(*after), 0) << bench.story({"after.log"});
  EXPECT_THAT(root.read("after.log"), HasSubstr("\"event\":\"job_consumer_remade\""));
  EXPECT_THAT(bench.ledger("in"), HasSubstr("ledger 400\n"));
}

TEST(NatsBatchFaultsTest, JOB6_AConsumerThatIsGoneIsMadeAnew) {
  NatsServer server(with_jetstream());
  const Root root;
  submit(server, root, 400);
  server.kill();
  fs::remove_all(server.file("jetstream/$G/streams/MR_k_Q/obs/work"));
  server.start();
  JobBench bench(server, root, "k");
  const auto worker = bench.work("worker.log");
  EXPECT_EQ(bench.wait_for_end(*worker), 0) << bench.story({"worker.log"});
  EXPECT_THAT(root.read("worker.log"), HasSubstr("\"event\":\"job_consumer_remade\""));
  EXPECT_THAT(bench.ledger("in"), HasSubstr("ledger 400\n"));
}

}  // namespace
}  // namespace millrace::e2e
