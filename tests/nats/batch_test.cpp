// `rankd batch` as people use it, with a real server of NATS whose JetStream is on. A ledger checks
// each job: as many results as lines, each equal to that of a direct run.

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/job_store.h"
#include "nats/client.h"
#include "nats/jetstream.h"
#include "nats_server.h"
#include "shell.h"

namespace millrace::e2e {
namespace {

using live::NatsServer;
using ::testing::HasSubstr;

/// Shell functions: `lines N` writes N requests, `batch ACTION …` is `rankd batch`, `ledger JOB
/// FILE` compares the results of a job with a direct run.
std::string batch_shell(const NatsServer& server) {
  return "NATS=" + server.url() +
         "\n"
         "batch() { a=$1; shift; engine/bin/rankd batch $a --root . --nats $NATS \"$@\"; }\n"
         "lines() { i=1; while [ $i -le $1 ]; do echo "
         "\"{\\\"user_id\\\":$((i % 100 + 1)),\\\"limit\\\":2,\\\"request_id\\\":\\\"r$i\\\"}\"; "
         "i=$((i+1)); done; }\n"
         "plain() { sed 's/\"took_ms\":[0-9.e-]*//; s/\"engine_request_id\":\"[^\"]*\"//' $1; }\n"
         "ledger() { rm -f $1.out; batch fetch --job $1 --out $1.out || return\n"
         "  engine/bin/rankd --root . --plan_name complex_dag <$2 >direct\n"
         "  plain $1.out >a; plain direct >b; cmp a b && echo \"ledger $(wc -l <a)\"; }\n";
}

NatsServer::Options with_jetstream() { return {.jetstream = true}; }

/// How many lines the kill test has; `./dev test --long` asks for more.
int line_count() {
  const char* const wanted = std::getenv("MILLRACE_BATCH_LINES");
  return wanted != nullptr ? std::atoi(wanted) : 5000;
}

TEST(NatsBatchTest, JOB1_JOB9_JOB10_AJobFromItsLinesToItsResults) {
  const NatsServer server(with_jetstream());
  const Root root;
  const ShellResult result = root.run(
      batch_shell(server) +
      "lines 300 >in; batch submit in --job day --plan complex_dag; echo \"submit $?\"\n"
      "batch submit in --job day --plan complex_dag; echo \"again $?\"\n"
      "lines 301 >other; batch submit other --job day --plan complex_dag; echo \"other $?\"\n"
      "batch fetch --job day --out o; echo \"early $?\"\n"
      "batch work --job day; echo \"work $?\"\n"
      "batch status --job day; batch status --job day --watch\n"
      "ledger day in\n"
      "batch delete --job day; echo \"unsure $?\"; batch delete --job day --yes\n"
      "batch status --job day; echo \"gone $?\"\n");
  EXPECT_THAT(result.out, HasSubstr("day: 300 lines are queued\nsubmit 0\n")) << result.err;
  EXPECT_THAT(result.out, HasSubstr("again 0\nother 1\nearly 1\nwork 0\n"));
  EXPECT_THAT(result.err, HasSubstr("job_exists"));
  EXPECT_THAT(result.err, HasSubstr("lines without a result: 1-300;"));
  EXPECT_THAT(result.err, HasSubstr("day: stored 300 results (0 errors), 0 were there"));
  EXPECT_THAT(result.out,
              HasSubstr("total      300\ndone       300\nfailed     0\nwaiting    0\n"));
  EXPECT_THAT(result.out, HasSubstr("100% 300/300"));
  EXPECT_THAT(result.out, HasSubstr("ledger 300\n"));
  EXPECT_THAT(result.out, HasSubstr("unsure 1\nday: deleted\ngone 1\n"));
}

TEST(NatsBatchTest, JOB1_JOB4_TheServerRefusesASecondResultAndALineOutOfTurn) {
  using nats::StoreOutcome;
  const NatsServer server(with_jetstream());
  const auto client = nats::Client::connect({.urls = {server.url()}});
  ASSERT_TRUE(client);
  nats::JetStream jetstream((*client)->box());
  jobs::JobStore store(jetstream, "j");
  ASSERT_TRUE(store.make({.line_count = 2, .digest = "d", .plan = "p"}, {}));
  const std::string result = store.names().result_subject(0);
  EXPECT_EQ(*jetstream.store({.subject = result, .data = "one"}), StoreOutcome::kStored);
  EXPECT_EQ(*jetstream.store({.subject = result, .data = "two"}), StoreOutcome::kTaken);
  EXPECT_EQ((*jetstream.find_last(store.names().result_stream(), result))->data, "one");
  const auto queue = [&](const char* expected) {
    return *jetstream.store({.subject = store.names().queue_subject(0),
                             .data = "x",
                             .headers = {{"Nats-Expected-Last-Sequence", expected}}});
  };
  EXPECT_EQ(queue("1"), StoreOutcome::kWrongSequence);
  EXPECT_EQ(queue("0"), StoreOutcome::kStored);
  EXPECT_EQ(queue("0"), StoreOutcome::kWrongSequence);
  const auto state = store.state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->done_count, 1U);
  EXPECT_EQ(state->waiting_count, 1U);
}

TEST(NatsBatchTest, AStreamWithOtherSettingsIsNamed) {
  const NatsServer server(with_jetstream());
  const auto client = nats::Client::connect({.urls = {server.url()}});
  ASSERT_TRUE(client);
  nats::JetStream jetstream((*client)->box());
  ASSERT_TRUE(jetstream.make_stream("MR_j_R", R"({"name":"MR_j_R","subjects":["mr.j.r.*"]})"));
  jobs::JobStore store(jetstream, "j");
  const auto made = store.make({.line_count = 1, .digest = "d", .plan = "p"}, {});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("Cannot make the stream MR_j_R"));
  EXPECT_FALSE(*jetstream.find_stream("MR_j_Q")) << "nothing is half made";
}

TEST(NatsBatchTest, JOB3_ABadLineQueuesNothing) {
  const NatsServer server(with_jetstream());
  const ShellResult result = Root().run(
      batch_shell(server) +
      "(lines 10; echo nonsense; lines 1) >in; batch submit in --job j --plan complex_dag; "
      "echo \"submit $?\"; batch status --job j; echo \"status $?\"\n"
      "lines 3 | batch submit - --job s --plan complex_dag\n");
  EXPECT_THAT(result.out, HasSubstr("submit 1\nstatus 1\ns: 3 lines are queued\n"));
  EXPECT_THAT(result.err, HasSubstr("line 11: bad_json"));
  EXPECT_THAT(result.err, HasSubstr("line 12: bad_value: its request_id is that of line 1\n"));
  EXPECT_THAT(result.err, HasSubstr("2 of the lines cannot be queued; nothing was"));
  EXPECT_THAT(result.err, HasSubstr("There is no job 'j'"));
}

TEST(NatsBatchTest, JOB1_JOB2_JOB6_KilledWorkersAndServersLoseAndDoubleNothing) {
  NatsServer server(with_jetstream());
  const Root root;
  const int lines = line_count();
  const std::string count = std::to_string(lines);
  const ShellResult begun =
      root.run(batch_shell(server) + "lines " + count +
               " >in; batch submit in --job k --plan complex_dag\n"
               "(while :; do batch work --job k && break; done >w1.log 2>&1) & echo $! >w1.pid\n"
               "(batch work --job k >w2.log 2>&1; echo \"end $?\" >w2.end) & echo $! >w2.pid\n");
  EXPECT_THAT(begun.out, HasSubstr("lines are queued"));
  for (int sixteenth = 1; sixteenth <= 8; ++sixteenth) {
    // The worker itself, not the shell around it, which starts another one.
    (void)root.run(batch_shell(server) +
                   "done_count() { batch status --job k 2>o | sed -n 's/^done *//p'; }\n"
                   "until [ 0$(done_count) -ge " +
                   std::to_string(lines * sixteenth / 16) +
                   " ]; do :; done\n"
                   "kill -KILL $(ps -o pid= --ppid $(cat w1.pid) | head -1)\n");
    if (sixteenth % 4 != 0) continue;
    server.kill();
    server.start();
  }
  const ShellResult result =
      root.run(batch_shell(server) +
               "while ps -p $(cat w1.pid) >o || ps -p $(cat w2.pid) >o; do sleep 0.2; done\n"
               "cat w2.end; ledger k in; batch status --job k\n");
  EXPECT_THAT(result.out, HasSubstr("end 0\n")) << root.read("w2.log") << result.err;
  EXPECT_THAT(result.out, HasSubstr("ledger " + count + "\n"));
  EXPECT_THAT(result.out, HasSubstr("\ndone       " + count + "\n"));
}

TEST(NatsBatchTest, JOB5_StreamsThatWereDeletedAreRepairedFromTheInput) {
  const NatsServer server(with_jetstream());
  const Root root;
  const ShellResult result =
      root.run(batch_shell(server) +
               "lines 200 >in; batch submit in --job r --plan complex_dag; batch work --job r 2>o\n"
               "batch submit in --job r --plan complex_dag --repair\n"
               "batch delete --job r --yes; batch submit in --job r --plan complex_dag --repair\n"
               "batch work --job r 2>o; ledger r in\n");
  EXPECT_THAT(result.out, HasSubstr("r: 0 lines had no result and are queued again\n"));
  EXPECT_THAT(result.out, HasSubstr("r: 200 lines had no result and are queued again\n"));
  EXPECT_THAT(result.out, HasSubstr("ledger 200\n")) << result.err;
}

TEST(NatsBatchTest, WithoutJetStreamOneErrorSaysSo) {
  const NatsServer server;
  const ShellResult result =
      Root().run(batch_shell(server) +
                 "lines 3 >in; batch submit in --job j --plan complex_dag; echo \"submit $?\"\n");
  EXPECT_THAT(result.out, HasSubstr("submit 1\n"));
  EXPECT_THAT(result.err, HasSubstr("rankd: The NATS server has no JetStream for this user"));
}

}  // namespace
}  // namespace millrace::e2e
