#include "jobs/job_submitter.h"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/jetstream_fixture.h"

namespace millrace::jobs {
namespace {

class SubmitterTest : public ::testing::Test {
 protected:
  SubmitterTest() {
    const std::string path = ::testing::TempDir() + "job_submitter_test.jsonl";
    std::ofstream file(path);
    for (int i = 0; i < 500; ++i) file << "{\"user_id\":" << i << "}\n";
    file.close();
    input = *JobInput::open(path);
    box = *nats::RequestBox::open(server);
    jetstream = std::make_unique<nats::JetStream>(*box);
  }
  base::Status submit() { return submit_lines(*box, *jetstream, server.names, *input, {}); }
  testing::FakeJetStream server{"j"};
  std::unique_ptr<JobInput> input;
  std::unique_ptr<nats::RequestBox> box;
  std::unique_ptr<nats::JetStream> jetstream;
};

TEST_F(SubmitterTest, JOB4_EveryLineIsQueuedOnceAndWithItsId) {
  ASSERT_TRUE(submit());
  EXPECT_EQ(server.last_sequence, 500U);
  EXPECT_THAT(server.log, ::testing::Contains(R"(mr.j.q.7 {"request_id":"j-7","user_id":7})"));
  ASSERT_TRUE(submit());
  EXPECT_EQ(server.last_sequence, 500U) << "again is nothing";
}

TEST_F(SubmitterTest, JOB4_GoesOnWhereItStopped) {
  server.last_sequence = 123;
  ASSERT_TRUE(submit());
  EXPECT_EQ(server.last_sequence, 500U);
  EXPECT_THAT(server.log,
              ::testing::Not(::testing::Contains(::testing::StartsWith("mr.j.q.122 "))));
}

TEST_F(SubmitterTest, JOB4_ALostOrRefusedMessageBeginsAgainThere) {
  server.sequence_error_at = 200;
  ASSERT_TRUE(submit());
  EXPECT_EQ(server.last_sequence, 500U);
}

TEST_F(SubmitterTest, JOB10_AFullStreamIsAnError) {
  server.is_full = true;
  const auto done = submit();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), ::testing::HasSubstr("no_space"));
}

TEST_F(SubmitterTest, JOB5_ARepairQueuesExactlyWhatHasNoResult) {
  JobStore store(*jetstream, "j");
  for (std::uint64_t line = 0; line < 500; ++line) {
    if (line % 5 != 0) server.results[server.names.result_subject(line)] = "x";
  }
  server.results["mr.j.r.nonsense"] = "x";
  server.enqueue(server.names.queue_subject(0), "waits");
  const auto count = repair_lines(*box, *jetstream, store, *input, {});
  ASSERT_TRUE(count);
  EXPECT_EQ(*count, 100U);
  std::vector<std::string> queued;
  for (const std::string& message : server.log) {
    if (message.starts_with(server.names.queue_prefix())) queued.push_back(message);
  }
  std::vector<std::string> missing;
  for (std::uint64_t line = 0; line < 500; line += 5) {
    missing.push_back(server.names.queue_subject(line) + " " +
                      with_request_id(input->lines()[line], "j", line));
  }
  EXPECT_EQ(queued, missing);
  const auto stream = jetstream->find_stream(server.names.queue_stream());
  ASSERT_TRUE(stream && *stream);
  EXPECT_EQ((*stream)->message_count, 100U) << "what waited is not queued twice";
  ASSERT_TRUE(submit());
  EXPECT_EQ((*jetstream->find_stream(server.names.queue_stream()))->message_count, 100U)
      << "nothing is left for submit to go on with";
}

}  // namespace
}  // namespace millrace::jobs
