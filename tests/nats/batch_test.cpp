// `rankd batch` as people use it, with a real server of NATS whose JetStream is on.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "batch_fixture.h"
#include "jobs/job_store.h"
#include "nats/client.h"
#include "nats/jetstream.h"
#include "nats_server.h"
#include "shell.h"

namespace millrace::e2e {
namespace {

using live::NatsServer;
using ::testing::HasSubstr;

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
  ASSERT_TRUE(jetstream.make_stream("MR_k_Q", R"({"name":"MR_k_Q","subjects":["mr.k.q.*"]})"));
  const auto second = jobs::JobStore(jetstream, "k").make({.line_count = 1, .digest = "d"}, {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("Cannot make the stream MR_k_Q"));
  EXPECT_FALSE(*jetstream.find_stream("MR_k_R")) << "nothing is half made";
}

TEST(NatsBatchTest, JOB4_JOB10_WhatIsLeftOfAnEarlierJobIsNoPartOfANewOne) {
  const NatsServer server(with_jetstream());
  const Root root;
  const ShellResult earlier = root.run(
      batch_shell(server) + "lines 20 >old; batch submit old --job j --plan complex_dag\n");
  ASSERT_THAT(earlier.out, HasSubstr("j: 20 lines are queued\n")) << earlier.err;
  const auto client = nats::Client::connect({.urls = {server.url()}});
  ASSERT_TRUE(client);
  nats::JetStream jetstream((*client)->box());
  ASSERT_TRUE(jetstream.delete_stream("MR_j_R"));
  const ShellResult later =
      root.run(batch_shell(server) +
               "lines 10 | sed 's/\"r\\([0-9]\\)/\"s\\1/' >in; grep -c '\"s' in\n"
               "batch submit in --job j --plan complex_dag; batch work --job j; ledger j in\n");
  EXPECT_THAT(later.out, HasSubstr("10\nj: 10 lines are queued\n"));
  EXPECT_THAT(later.out, HasSubstr("ledger 10\n")) << later.err;
  // Its manifest becomes too old first.
  ASSERT_TRUE(jetstream.purge_subjects("MR_j_R", "mr.j.manifest"));
  const ShellResult third =
      root.run(batch_shell(server) +
               "batch submit old --job j --plan complex_dag; batch work --job j; ledger j old\n");
  EXPECT_THAT(third.out, HasSubstr("ledger 20\n")) << third.err;
  ASSERT_TRUE(jetstream.delete_stream("MR_j_R"));
  const ShellResult end = root.run(batch_shell(server) +
                                   "batch delete --job j --yes; echo \"first $?\"; "
                                   "batch delete --job j --yes; echo \"second $?\"\n");
  EXPECT_EQ(end.out, "j: deleted\nfirst 0\nsecond 1\n") << end.err;
  EXPECT_THAT(end.err, HasSubstr("There is no job 'j'"));
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
