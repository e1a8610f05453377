#include "runtime/protocols/credit.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::runtime {
namespace {

using Account = CreditAccount<>;

TEST(CreditTest, D8_OnlyTheLastThatComesBackEndsTheWork) {
  Account account;
  account.open();
  Account::Credit held = Account::kFull;
  const std::uint32_t first = account.split(held);
  const std::uint32_t second = account.split(held);
  EXPECT_FALSE(account.give_back(second));
  EXPECT_FALSE(account.give_back(held));
  EXPECT_TRUE(account.give_back(first));
}

TEST(CreditTest, D8_LittleCreditIsMadeMoreAndTheSumIsKept) {
  Account account;
  account.open();
  Account::Credit held = Account::kFull;
  std::vector<std::uint32_t> shares;
  for (int split = 0; split < 1000; ++split) {
    shares.push_back(account.split(held));
    ASSERT_NE(shares.back(), 0U);
  }
  for (const std::uint32_t share : shares) EXPECT_FALSE(account.give_back(share));
  EXPECT_TRUE(account.give_back(held));
}

TEST(CreditTest, D8_AShareOfMoreThan32BitsLosesNothing) {
  Account account;
  account.open();
  // What a strand holds that took up the ends of many others.
  Account::Credit held = Account::Credit{1} << 35U;
  const Account::Credit before = held;
  const std::uint32_t share = account.split(held);
  EXPECT_EQ(held + share, before);
  EXPECT_GE(share, Account::kFull);  // a fair part, not what is left of 2^32 in 32 bits: nothing
}

}  // namespace
}  // namespace millrace::runtime
