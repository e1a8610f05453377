#include "jobs/job_store.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/jetstream_fixture.h"

// What needs a server is tested in tests/nats/.

namespace millrace::jobs {
namespace {

TEST(JobStoreTest, JOB5_MissingLinesAreNamedAsRangesFromOne) {
  EXPECT_EQ(missing_text({true, true}), "");
  EXPECT_EQ(missing_text({false, false, true, false}), "1-2, 4");
  std::vector<bool> many(100, true);
  for (std::size_t i = 0; i < many.size(); i += 2) many[i] = false;
  EXPECT_TRUE(missing_text(many).ends_with(", 39, …"));
}

TEST(JobStoreTest, JOB1_JOB6_JOB10_StreamsAndConsumerAreMadeWithTheirLimits) {
  testing::FakeJetStream server("j");
  const std::unique_ptr<nats::RequestBox> box = *nats::RequestBox::open(server);
  nats::JetStream jetstream(*box);
  JobStore store(jetstream, "j");
  ASSERT_TRUE(store.make({.line_count = 1, .digest = "d", .plan = "p"}, {}));
  const auto config_of = [&](std::string_view subject) {
    for (const std::string& line : server.log) {
      if (line.starts_with(subject)) return line;
    }
    return std::string();
  };
  using ::testing::HasSubstr;
  const std::string results = config_of("$JS.API.STREAM.CREATE.MR_j_R");
  for (const char* const part : {R"("max_msgs_per_subject":1,)",
                                 R"("discard":"new")",
                                 R"("discard_new_per_subject":true)",
                                 R"("storage":"file")"})
    EXPECT_THAT(results, HasSubstr(part));
  const std::string queue = config_of("$JS.API.STREAM.CREATE.MR_j_Q");
  EXPECT_THAT(queue, HasSubstr(R"("retention":"workqueue")"));
  for (const std::string& stream : {results, queue}) {
    EXPECT_THAT(stream, HasSubstr(R"("max_age":604800000000000,)")) << "7 days";
    EXPECT_THAT(stream, HasSubstr(R"("max_bytes":10737418240,)")) << "10 GiB";
    EXPECT_THAT(stream, HasSubstr(R"("num_replicas":1,)"));
  }
  const std::string consumer = config_of("$JS.API.CONSUMER.DURABLE.CREATE.MR_j_Q");
  EXPECT_THAT(consumer, HasSubstr(R"("ack_policy":"explicit")"));
  EXPECT_THAT(consumer, HasSubstr(R"("ack_wait":30000000000,)"));
  EXPECT_THAT(consumer, HasSubstr(R"("max_ack_pending":4096,)"));
}

TEST(JobStoreTest, JOB4_JOB5_ANewJobBeginsWithoutWhatAnEarlierOneHasLeft) {
  testing::FakeJetStream server("j");
  const std::unique_ptr<nats::RequestBox> box = *nats::RequestBox::open(server);
  nats::JetStream jetstream(*box);
  JobStore store(jetstream, "j");
  const JobManifest manifest{.line_count = 6, .digest = "d", .plan = "p"};
  // Of a job of the same name there are a queue and some results, but not its manifest.
  server.results[server.names.result_subject(2)] = "of another input";
  server.results[server.names.failed_subject(2)] = "";
  server.last_sequence = 6;
  server.enqueue(server.names.queue_subject(5), "of another input");
  ASSERT_TRUE(store.make(manifest, {}));
  EXPECT_EQ(server.last_sequence, 0U);
  EXPECT_EQ((*jetstream.find_stream(server.names.queue_stream()))->message_count, 0U);
  EXPECT_EQ(server.results.size(), 1U) << "the manifest";
  // The same job again leaves all as it is.
  server.last_sequence = 3;
  server.results[server.names.result_subject(0)] = "x";
  ASSERT_TRUE(store.make(manifest, {}));
  EXPECT_EQ(server.last_sequence, 3U);
  EXPECT_EQ(server.results.size(), 2U);
  // So does a repair with results, which only lacks the manifest.
  server.results.erase(server.names.manifest_subject());
  ASSERT_TRUE(store.make(manifest, {.keeps_results = true}));
  EXPECT_EQ(server.results.size(), 2U);
}

TEST(JobStoreTest, JOB9_ForeignMessagesAreNoResultsAndNoFailures) {
  testing::FakeJetStream server("j");
  server.results[server.names.manifest_subject()] =
      JobManifest{.line_count = 2, .digest = "d", .plan = "p"}.to_json();
  server.results[server.names.result_subject(0)] = "x";
  server.results[server.names.result_subject(2)] = "foreign";
  server.results[server.names.failed_subject(7)] = "foreign";
  const std::unique_ptr<nats::RequestBox> box = *nats::RequestBox::open(server);
  nats::JetStream jetstream(*box);
  JobStore store(jetstream, "j");
  auto state = store.state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->failed_count, 0U);
  ASSERT_TRUE(store.count_results(*state));
  EXPECT_EQ(state->done_count, 1U);
}

TEST(JobStoreTest, JOB9_TheStateIsCountedFromTheStreams) {
  testing::FakeJetStream server("j");
  server.results[server.names.manifest_subject()] =
      JobManifest{.line_count = 6, .digest = "d", .plan = "p"}.to_json();
  for (const std::uint64_t line : {0U, 1U, 2U})
    server.results[server.names.result_subject(line)] = "x";
  server.results[server.names.failed_subject(1)] = "";
  server.enqueue(server.names.queue_subject(4), "{}");
  server.enqueue(server.names.queue_subject(5), "{}");
  server.ghost_count = 1;
  server.last_sequence = 6;
  server.delivery_count = 8;
  const std::unique_ptr<nats::RequestBox> box = *nats::RequestBox::open(server);
  nats::JetStream jetstream(*box);
  const auto state = JobStore(jetstream, "j").state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->manifest.line_count, 6U);
  EXPECT_EQ(state->done_count, 3U);
  EXPECT_EQ(state->failed_count, 1U);
  EXPECT_EQ(state->waiting_count, 2U);
  EXPECT_EQ(state->in_flight_count, 1U);
  EXPECT_EQ(state->duplicate_count, 2U);
  EXPECT_EQ(state->queued_count, 6U);
  EXPECT_EQ(state->held_count, 2U);
}

}  // namespace
}  // namespace millrace::jobs
