#include "stores/redis/receive_buffer.h"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace millrace::stores::testing {
namespace {

void fill(ReceiveBuffer& buffer, std::string_view bytes, std::size_t wanted = 0) {
  const std::span<char> space = buffer.space(wanted);
  ASSERT_GE(space.size(), bytes.size());
  std::memcpy(space.data(), bytes.data(), bytes.size());
  buffer.filled(bytes.size());
}

TEST(ReceiveBufferTest, ViewsLiveAsLongAsTheirBlockIsHeld) {
  ReceiveBuffer buffer;
  fill(buffer, "first");
  const std::string_view view = buffer.unread();
  const std::shared_ptr<char[]> held = buffer.block();
  buffer.consume(view.size());
  const std::string large(ReceiveBuffer::kBlockBytes, 'x');
  fill(buffer, large, large.size());
  EXPECT_EQ(view, "first");
  EXPECT_EQ(buffer.unread(), large);
  EXPECT_NE(buffer.block(), held);
}

TEST(ReceiveBufferTest, ABlockThatNobodyHoldsIsUsedAgain) {
  ReceiveBuffer buffer;
  fill(buffer, "abc");
  const char* const begin = buffer.unread().data();
  buffer.consume(3);
  fill(buffer, "def");
  EXPECT_EQ(buffer.unread().data(), begin);
}

TEST(ReceiveBufferTest, WhatWasNotReadMovesWithTheRoomItNeeds) {
  ReceiveBuffer buffer;
  fill(buffer, "$200000\r\nabc");
  EXPECT_GE(buffer.space(200'011).size(), 200'011U - buffer.unread().size());
  EXPECT_EQ(buffer.unread(), "$200000\r\nabc");
}

TEST(ReceiveBufferTest, RoomIsNeverSmall) {
  ReceiveBuffer buffer;
  for (int i = 0; i < 1000; ++i) {
    const std::shared_ptr<char[]> held = buffer.block();
    fill(buffer, std::string(700, 'x'));
    EXPECT_GE(buffer.space(0).size(), 4096U);
    buffer.consume(i % 3 == 0 ? 700 : 0);
    if (buffer.unread().size() > 30'000) buffer.consume(buffer.unread().size());
  }
}

}  // namespace
}  // namespace millrace::stores::testing
