#include "runtime/handshake.h"

#include <gtest/gtest.h>

namespace millrace::runtime {
namespace {

TEST(HandshakeTest, CanBeHeldOnlyInsideBody) {
  Handshake<> handshake;
  EXPECT_FALSE(handshake.looks_in_body());
  EXPECT_FALSE(handshake.try_hold());
  handshake.enter_body();
  EXPECT_TRUE(handshake.looks_in_body());
  EXPECT_TRUE(handshake.try_hold());
  handshake.release();
  handshake.leave_body();
  EXPECT_FALSE(handshake.try_hold());
}

TEST(HandshakeTest, HasOneHolderAtTime) {
  Handshake<> handshake;
  handshake.enter_body();
  ASSERT_TRUE(handshake.try_hold());
  EXPECT_FALSE(handshake.try_hold());
  handshake.release();
  EXPECT_TRUE(handshake.try_hold());
  handshake.release();
}

TEST(HandshakeTest, FailedHoldLeavesNothingBehind) {
  Handshake<> handshake;
  EXPECT_FALSE(handshake.try_hold());
  handshake.enter_body();
  handshake.leave_body();  // Would wait for ever if the hold had stayed.
  handshake.enter_body();
  EXPECT_TRUE(handshake.try_hold());
  handshake.release();
}

}  // namespace
}  // namespace millrace::runtime
