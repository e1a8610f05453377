#include "stores/redis/protocol/receive_buffer.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

TEST(ReceiveBufferTest, AFullBlockIsUsedAgainOnceItsRepliesAreGone) {
  ReceiveBuffer buffer;
  const std::string most(ReceiveBuffer::kBlockBytes - 100, 'x');
  fill(buffer, most);
  std::shared_ptr<char[]> held = buffer.block();
  const char* const first = held.get();
  buffer.consume(most.size() - 3);
  fill(buffer, "abc");
  EXPECT_NE(buffer.block().get(), first);
  EXPECT_EQ(buffer.unread(), "xxxabc");
  EXPECT_EQ(first[0], 'x');
  held.reset();
  const std::shared_ptr<char[]> second = buffer.block();
  buffer.consume(6);
  fill(buffer, most);
  buffer.consume(most.size());
  fill(buffer, "def");
  EXPECT_EQ(buffer.block().get(), first);
  EXPECT_EQ(buffer.unread(), "def");
}

TEST(ReceiveBufferTest, KeepsAFewBlocksOnly) {
  ReceiveBuffer buffer;
  const std::string most(ReceiveBuffer::kBlockBytes - 100, 'x');
  std::vector<std::shared_ptr<char[]>> held;
  for (std::size_t i = 0; i < 2 * ReceiveBuffer::kBlocksKept; ++i) {
    fill(buffer, most);
    buffer.consume(most.size());
    held.push_back(buffer.block());
  }
  fill(buffer, "end");
  const auto kept =
      std::ranges::count_if(held, [](const auto& block) { return block.use_count() == 2; });
  EXPECT_EQ(kept, static_cast<std::ptrdiff_t>(ReceiveBuffer::kBlocksKept));
  buffer.clear();
  for (const auto& block : held) EXPECT_EQ(block.use_count(), 1);
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
