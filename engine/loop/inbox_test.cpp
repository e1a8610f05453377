#include "loop/inbox.h"

#include <vector>

#include <gtest/gtest.h>

namespace millrace::loop {
namespace {

struct Letter : InboxLink {
  explicit Letter(int letter_number) : number(letter_number) {}
  int number;
};

std::vector<int> numbers(const InboxLink* letters) {
  std::vector<int> result;
  for (; letters != nullptr; letters = letters->next) {
    result.push_back(static_cast<const Letter*>(letters)->number);
  }
  return result;
}

TEST(InboxTest, GivesElementsOldestFirst) {
  Inbox<> inbox;
  Letter first(1);
  Letter second(2);
  Letter third(3);
  inbox.push(first);
  inbox.push(second);
  inbox.push(third);
  EXPECT_EQ(numbers(inbox.take_all()), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(inbox.take_all(), nullptr);
}

TEST(InboxTest, PushTellsWhetherItWasEmpty) {
  Inbox<> inbox;
  Letter first(1);
  Letter second(2);
  EXPECT_TRUE(inbox.looks_empty());
  EXPECT_TRUE(inbox.push(first));
  EXPECT_FALSE(inbox.looks_empty());
  EXPECT_FALSE(inbox.push(second));
  EXPECT_NE(inbox.take_all(), nullptr);
  EXPECT_TRUE(inbox.looks_empty());
  EXPECT_TRUE(inbox.push(second));
}

TEST(InboxTest, ElementsCanBePushedAgain) {
  Inbox<> inbox;
  Letter first(1);
  Letter second(2);
  inbox.push(first);
  inbox.push(second);
  ASSERT_EQ(numbers(inbox.take_all()), (std::vector<int>{1, 2}));
  inbox.push(second);
  inbox.push(first);
  EXPECT_EQ(numbers(inbox.take_all()), (std::vector<int>{2, 1}));
}

}  // namespace
}  // namespace millrace::loop
