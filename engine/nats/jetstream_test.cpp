#include "nats/jetstream.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// What needs a server is tested in tests/nats/.

namespace millrace::nats {
namespace {

base::Result<Message> answer_of(std::string data) { return Message{.data = std::move(data)}; }

TEST(JetStreamTest, AnswersToStoredMessagesAreTold) {
  EXPECT_EQ(*read_store_answer(answer_of(R"({"stream":"S","seq":1})")), StoreOutcome::kStored);
  EXPECT_EQ(
      *read_store_answer(answer_of(
          R"({"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 5"}})")),
      StoreOutcome::kWrongSequence);
  EXPECT_EQ(*read_store_answer(answer_of(
                R"({"error":{"code":503,"err_code":10077,"description":"maximum messages per )"
                R"(subject exceeded"}})")),
            StoreOutcome::kTaken);
  EXPECT_EQ(
      *read_store_answer(answer_of(
          R"({"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"}})")),
      StoreOutcome::kFull);
  EXPECT_FALSE(read_store_answer(answer_of("no json")));
  EXPECT_FALSE(read_store_answer(answer_of(R"({"error":{"code":500,"description":"else"}})")));
  EXPECT_FALSE(read_store_answer(base::fail(base::ErrorCode::kTimeout, "late")));
}

TEST(JetStreamTest, AMessageThatIsNotThereIsNoError) {
  EXPECT_TRUE(read_found(Message{.data = "x"})->has_value());
  EXPECT_FALSE(read_found(Message{.headers = {{"Status", "404"}}})->has_value());
  EXPECT_FALSE(read_found(Message{.headers = {{"Status", "503"}}}));
}

TEST(JetStreamTest, JOB8_TheNumberOfADeliveryStandsInItsAcknowledgement) {
  EXPECT_EQ(delivery_number("$JS.ACK.MR_j_Q.work.3.17.20.1700000000000000000.5"), 3U);
  EXPECT_EQ(delivery_number("$JS.ACK.hub.ABC.MR_j_Q.work.4.17.20.1700000000000000000.5.x"), 4U);
  EXPECT_FALSE(delivery_number("$JS.ACK.MR_j_Q.work.x.17.20.1.5"));
  EXPECT_FALSE(delivery_number("$JS.ACK.MR"));
  EXPECT_FALSE(delivery_number("_INBOX.a.1"));
}

}  // namespace
}  // namespace millrace::nats
