#include "nats/request_box.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "nats/link_fixture.h"

namespace millrace::nats {
namespace {

using testing::FakeLink;

constexpr base::Duration kLong = std::chrono::hours(1);

struct Box {
  Box() {
    auto made = RequestBox::open(link);
    EXPECT_TRUE(made.has_value());
    box = *std::move(made);
  }
  std::optional<base::Result<Message>> ask(base::Duration limit = kLong) {
    answer.reset();
    box->ask({.subject = "s", .data = "?"}, limit, [this](base::Result<Message> result) {
      answer = std::move(result);
    });
    return answer;
  }
  std::optional<base::Result<Message>> answer;
  FakeLink link;
  std::unique_ptr<RequestBox> box;  // answers what is open when it is destroyed
};

TEST(RequestBoxTest, AnAnswerGoesToWhoeverAskedAndOnlyTheFirstCounts) {
  Box rig;
  EXPECT_FALSE(rig.ask());
  const Message asked = rig.link.published().back();
  EXPECT_EQ(asked.reply, "_INBOX.UNIQUE.1");
  EXPECT_EQ(rig.link.deliver({.subject = asked.reply, .data = "one"}), 1U);
  EXPECT_EQ(rig.link.deliver({.subject = asked.reply, .data = "two"}), 1U);
  ASSERT_TRUE(rig.answer);
  EXPECT_EQ((*rig.answer)->data, "one");
}

TEST(RequestBoxTest, AnswersToNothingAreIgnored) {
  Box rig;
  EXPECT_FALSE(rig.ask());
  for (const char* subject :
       {"_INBOX.UNIQUE.", "_INBOX.UNIQUE.x", "_INBOX.UNIQUE.1x", "_INBOX.UNIQUE.99", "other"})
    (void)rig.link.deliver({.subject = subject});
  EXPECT_FALSE(rig.answer);
}

TEST(RequestBoxTest, NoRespondersAndADeadLinkAreSaidAtOnce) {
  Box rig;
  EXPECT_FALSE(rig.ask());
  (void)rig.link.deliver(
      {.subject = rig.link.published().back().reply, .says_no_responders = true});
  ASSERT_TRUE(rig.answer);
  EXPECT_EQ(rig.answer->error().code(), base::ErrorCode::kNotFound);
  rig.link.set_state(LinkState::kDown);
  ASSERT_TRUE(rig.ask());
  EXPECT_EQ(rig.answer->error().code(), base::ErrorCode::kUnavailable);
}

TEST(RequestBoxTest, WhatIsOpenAtTheEndIsCancelled) {
  Box rig;
  EXPECT_FALSE(rig.ask());
  rig.box.reset();
  ASSERT_TRUE(rig.answer);
  EXPECT_EQ(rig.answer->error().code(), base::ErrorCode::kCancelled);
}

TEST(RequestBoxTest, TimeRunsOutWithoutAnAnswer) {
  Box rig;
  const auto result = rig.box->ask_and_wait({.subject = "s"}, std::chrono::milliseconds(1));
  EXPECT_EQ(result.error().code(), base::ErrorCode::kTimeout);
}

}  // namespace
}  // namespace millrace::nats
