#include "jobs/job_worker.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/jetstream_fixture.h"
#include "rank/rank_fixture.h"
#include "runtime/admission.h"

// The worker on a fake JetStream; the engine runs in virtual time, whenever the worker asks whether
// it is to stop.

namespace millrace::jobs {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class WorkerTest : public ::testing::Test {
 protected:
  WorkerTest() {
    rig.load(
        rank::testing::plan_text(rank::testing::source_node(2), R"(["src"])", R"(["id"])", "p"));
    server.results[server.names.manifest_subject()] =
        JobManifest{.line_count = 3, .digest = "d", .plan = "p"}.to_json();
    box = *nats::RequestBox::open(server);
    jetstream = std::make_unique<nats::JetStream>(*box);
    store = std::make_unique<JobStore>(*jetstream, "j");
  }
  void queue(std::uint64_t line, std::string data, std::uint64_t deliveries = 0) {
    server.enqueue(server.names.queue_subject(line), std::move(data), deliveries);
  }
  /// The limit is for a worker that finds no end.
  base::Status run(JobWorker::Until until = JobWorker::Until::kIdle) {
    rig.ranker = std::make_unique<rank::Ranker>(rig.plans, rig.services, rig.options);
    const base::TimePoint limit = base::steady_clock().now() + std::chrono::seconds(20);
    bool is_late = false;
    JobWorker worker({.link = &server,
                      .store = store.get(),
                      .doors = {{&rig.loop, rig.ranker.get()}},
                      .is_stopped =
                          [this, limit, &is_late] {
                            rig.drain();
                            if (on_turn) on_turn();
                            is_late |= base::steady_clock().now() > limit;
                            // Whatever it waits for, it gets now.
                            if (is_late) server.takes_no_results = server.is_gone = false;
                            return is_late || is_told_to_end;
                          }},
                     {.concurrency = 4, .attempts_max = 3});
    const auto done = worker.run(until);
    EXPECT_FALSE(is_late) << "the worker did not end by itself within 20 s";
    counts = worker.counts();
    return done;
  }
  std::string result(std::uint64_t line) {
    return server.results[server.names.result_subject(line)];
  }

  testing::FakeJetStream server{"j"};
  rank::testing::RankRig rig;
  std::unique_ptr<nats::RequestBox> box;
  std::unique_ptr<nats::JetStream> jetstream;
  std::unique_ptr<JobStore> store;
  WorkerCounts counts;
  std::function<void()> on_turn;  ///< called at each turn of the worker
  bool is_told_to_end = false;
};

TEST_F(WorkerTest, JOB2_ALineIsAcknowledgedAfterItsResultWasStored) {
  queue(0, R"({"user_id":1,"request_id":"a"})");
  ASSERT_TRUE(run());
  EXPECT_THAT(result(0), HasSubstr(R"("request_id":"a")"));
  EXPECT_THAT(result(0), HasSubstr(R"("candidates":[{"id")"));
  EXPECT_EQ(counts.stored, 1U);
  std::vector<std::string> order;
  for (const std::string& line : server.log) {
    if (line.starts_with("mr.j.r.0")) order.emplace_back("result");
    if (line.ends_with("+ACK")) order.emplace_back("ack");
  }
  EXPECT_THAT(order, ::testing::ElementsAre("result", "ack"));
}

TEST_F(WorkerTest, JOB2_NothingIsAcknowledgedBeforeItsResultIsSaidToBeStored) {
  server.holds_answers = true;
  queue(0, R"({"user_id":1})");
  int held_turns = 0;
  int early_count = 0;
  on_turn = [&] {
    if (server.held_count() == 0 || ++held_turns < 3) return;
    early_count = server.ack_count;
    server.release();
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(held_turns, 3);
  EXPECT_EQ(early_count, 0);
  EXPECT_EQ(server.ack_count, 1);
  EXPECT_EQ(server.unconfirmed_count, 0) << "the server is asked to confirm it";
}

TEST_F(WorkerTest, JOB6_LinesRunInTheClassBackground) {
  const auto admission =
      runtime::Admission::create({.inflight_max = 10, .class_shares = {1, 1, 1, 0}}, *rig.pool);
  ASSERT_TRUE(admission);
  rig.services.admission = admission->get();
  // The only place that this class may have is taken; the others have nine more.
  const auto held =
      (*admission)->try_admit({.now = base::TimePoint(), .priority = runtime::Priority::kHigh});
  ASSERT_TRUE(held);
  queue(0, R"({"user_id":1})");
  ASSERT_TRUE(run());
  EXPECT_EQ(counts.given_back, 1U);
  EXPECT_EQ(counts.stored, 0U);
}

TEST_F(WorkerTest, JOB1_AResultThatIsThereStaysAndTheLineIsAcknowledged) {
  server.results[server.names.result_subject(1)] = "first";
  queue(1, R"({"user_id":1})");
  ASSERT_TRUE(run());
  EXPECT_EQ(result(1), "first");
  EXPECT_EQ(counts.taken, 1U);
  EXPECT_EQ(counts.stored, 0U);
  EXPECT_EQ(server.ack_count, 1);
}

TEST_F(WorkerTest, JOB1_AnAnswerThatWasLostIsAskedForAgainAndCountsOnce) {
  server.lost_answers = 1;
  queue(0, R"({"user_id":1})");
  ASSERT_TRUE(run());
  EXPECT_THAT(result(0), HasSubstr("candidates"));
  EXPECT_EQ(counts.taken, 1U) << "its own, stored before";
  EXPECT_EQ(server.ack_count, 1);
}

TEST_F(WorkerTest, JOB7_OtherErrorsAreResultsAtOnceAndMarked) {
  queue(2, R"({"user_id":1,"output_keys":["nope"]})");
  ASSERT_TRUE(run());
  EXPECT_THAT(result(2), HasSubstr(R"("error":{"code":")"));
  EXPECT_EQ(counts.failed, 1U);
  EXPECT_TRUE(server.results.contains("mr.j.f.2"));
}

TEST_F(WorkerTest, JOB7_WhatMayPassIsGivenBackForAWhileAndThenTheResult) {
  rig.load(rank::testing::plan_text(
      rank::testing::source_node(2) +
          rank::testing::node(
              "wait", "sleep", "src", R"({"duration_ms": 20})", R"("timeout_ms": 5)"),
      R"(["wait"])",
      R"(["id"])",
      "late"));
  server.results[server.names.manifest_subject()] =
      JobManifest{.line_count = 3, .digest = "d", .plan = ""}.to_json();
  queue(0, R"({"user_id":1,"plan":"late"})", 1);
  ASSERT_TRUE(run());
  EXPECT_EQ(counts.given_back, 1U);
  EXPECT_THAT(server.log, Contains(HasSubstr("-NAK {\"delay\":2000000000}")));
  EXPECT_EQ(server.ack_count, 0);
  EXPECT_EQ(result(0), "");
  server.results.erase(server.names.result_subject(0));
  queue(0, R"({"user_id":1,"plan":"late"})", 2);
  ASSERT_TRUE(run());
  EXPECT_THAT(result(0), HasSubstr("node_timeout")) << "the last try";
  EXPECT_EQ(server.ack_count, 1);
}

TEST_F(WorkerTest, JOB8_ALineThatWasDeliveredTooOftenIsGivenUpBeforeItRuns) {
  queue(0, R"({"user_id":1,"request_id":"poison"})", 3);
  ASSERT_TRUE(run());
  EXPECT_THAT(result(0), HasSubstr(R"({"request_id":"poison","error":{"code":"gave_up")"));
  EXPECT_EQ(server.ack_count, 1);
  queue(1, R"({"user_id":1})", 2);
  ASSERT_TRUE(run());
  EXPECT_THAT(result(1), HasSubstr("candidates")) << "its last try";
}

TEST_F(WorkerTest, AResultThatIsTooLargeIsReplacedByAnErrorWithBothSizes) {
  server.bytes_max = 200;
  queue(0, R"({"user_id":1})");
  ASSERT_TRUE(run());
  EXPECT_THAT(result(0), HasSubstr("response_too_large"));
  EXPECT_THAT(result(0), HasSubstr("the NATS server takes 200;"));
  EXPECT_EQ(counts.failed, 1U);
}

TEST_F(WorkerTest, ALineThatHasNoRoomEvenForAnErrorEndsTheWork) {
  server.bytes_max = 120;
  queue(0, R"({"user_id":1})");
  const auto done = run();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("takes 120 bytes"));
  EXPECT_THAT(done.error().message(), HasSubstr("the result of line 1;"));
  EXPECT_THAT(server.log, Contains(HasSubstr("-NAK")));
  EXPECT_EQ(server.ack_count, 0);
}

TEST_F(WorkerTest, JOB2_WhoIsToldToEndDoesNotWaitForAServerThatStoresNothing) {
  server.takes_no_results = true;
  queue(0, R"({"user_id":1})");
  on_turn = [this] {
    is_told_to_end = std::ranges::any_of(
        server.log, [](const std::string& said) { return said.starts_with("mr.j.r.0 "); });
  };
  ASSERT_TRUE(run());
  EXPECT_EQ(counts.given_back, 1U);
  EXPECT_EQ(server.ack_count, 0);
  EXPECT_THAT(server.log, Contains(HasSubstr("-NAK")).Times(1));
}

TEST_F(WorkerTest, AJobThatIsGoneEndsTheWork) {
  server.lose_after_pulls = 1;
  EXPECT_EQ(run().error().code(), base::ErrorCode::kNotFound);
}

TEST_F(WorkerTest, AJobThatGoesWhileLinesRunEndsTheWork) {
  queue(0, R"({"user_id":1})");
  // It is there when the worker begins.
  bool is_first = true;
  on_turn = [&] { server.is_gone |= std::exchange(is_first, false); };
  const auto done = run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), base::ErrorCode::kNotFound);
  EXPECT_THAT(done.error().message(), HasSubstr("There is no job 'j'"));
  EXPECT_EQ(server.ack_count, 0);
}

TEST_F(WorkerTest, JOB6_AConsumerThatKnowsNothingOfTheQueueIsMadeAnew) {
  server.is_passed_over = true;
  queue(0, R"({"user_id":1})");
  ASSERT_TRUE(run());
  EXPECT_THAT(result(0), HasSubstr("candidates"));
  EXPECT_THAT(server.log, Contains(HasSubstr("$JS.API.CONSUMER.DELETE.MR_j_Q.work")).Times(1));
}

TEST_F(WorkerTest, JOB6_MessagesThatAreGoneDoNotKeepAConsumerFromDelivering) {
  server.ghost_count = 40;
  queue(0, R"({"user_id":1})");
  ASSERT_TRUE(run());
  EXPECT_THAT(result(0), HasSubstr("candidates"));
  EXPECT_THAT(server.log, Contains(HasSubstr("$JS.API.CONSUMER.DELETE.MR_j_Q.work")).Times(1));
}

TEST_F(WorkerTest, JOB5_LinesThatAreLostEndTheWorkAndSayWhatHelps) {
  server.last_sequence = 3;
  queue(0, R"({"user_id":1})");
  const auto done = run(JobWorker::Until::kDone);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("has lost 2 lines of the job 'j'"));
  EXPECT_THAT(done.error().message(), HasSubstr("submit the file with --repair"));
  EXPECT_THAT(result(0), HasSubstr("candidates"));
  EXPECT_THAT(server.log, ::testing::Not(Contains(HasSubstr("CONSUMER.DELETE"))));
}

TEST_F(WorkerTest, JOB5_AQueueThatIsGoneEndsTheWorkToo) {
  server.has_queue = false;
  server.results[server.names.result_subject(1)] = "x";
  const auto done = run(JobWorker::Until::kDone);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("has lost 2 lines of the job 'j'"));
}

TEST_F(WorkerTest, ForeignResultsMakeNoJobDone) {
  server.last_sequence = 3;
  server.results[server.names.result_subject(1)] = "x";
  server.results[server.names.result_subject(2)] = "x";
  server.results["mr.j.r.x"] = "foreign";
  server.results[server.names.result_subject(3)] = "foreign";
  const auto done = run(JobWorker::Until::kDone);
  ASSERT_FALSE(done) << "line 0 has no result";
  EXPECT_THAT(done.error().message(), HasSubstr("has lost 1 lines of the job 'j'"));
}

TEST_F(WorkerTest, AForeignMessageIsCountedAndDropped) {
  server.enqueue("mr.j.q.x", "{}");
  server.enqueue("mr.j.q.3", "{}");
  ASSERT_TRUE(run());
  EXPECT_EQ(counts.foreign, 2U);
  EXPECT_THAT(server.log, Contains(::testing::EndsWith("+TERM")).Times(2));
  EXPECT_EQ(server.results.size(), 1U);
}

TEST_F(WorkerTest, JOB10_AFullStreamEndsTheWorkAndGivesTheLineBack) {
  server.is_full = true;
  queue(0, R"({"user_id":1})");
  const auto done = run();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("no_space"));
  EXPECT_THAT(server.log, Contains(HasSubstr("-NAK {\"delay\":")));
  EXPECT_EQ(server.ack_count, 0);
}

}  // namespace
}  // namespace millrace::jobs
