#include "net/fake_connector.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "loop/fake_loop.h"
#include "net/stream_fixture.h"

namespace millrace::net {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;

class FakeConnectorTest : public testing::Test {
 protected:
  FakePeer& open() {
    end_.stream =
        connector_.connect({.host = "h", .port = 1}, {.connect_timeout = milliseconds(50)}, end_);
    return connector_.peer(connector_.peer_count() - 1);
  }

  base::ManualClock clock_;
  loop::FakeLoop loop_{clock_};
  FakeConnector connector_{loop_};
  Recorder end_{4};
};

TEST_F(FakeConnectorTest, AcceptsWhenTheLoopRunsAndSendsWhatWaited) {
  FakePeer& peer = open();
  end_.stream->write("a");
  end_.stream->write("b");
  EXPECT_EQ(end_.connected_count, 0);
  EXPECT_EQ(end_.stream->unsent_bytes(), 2U);
  loop_.run_ready();
  EXPECT_EQ(end_.connected_count, 1);
  EXPECT_EQ(peer.received(), "ab");
  EXPECT_EQ(peer.write_count(), 1U);
  end_.stream->write("c");
  EXPECT_EQ(peer.take_received(), "abc");
  EXPECT_EQ(peer.write_count(), 2U);
}

TEST_F(FakeConnectorTest, ConnectTimeoutFiresInVirtualTime) {
  connector_.on_connect = [](FakePeer& peer) { peer.accept(milliseconds(51)); };
  open();
  loop_.advance(milliseconds(49));
  EXPECT_FALSE(end_.closed);
  loop_.advance(milliseconds(1));
  ASSERT_TRUE(end_.closed);
  EXPECT_EQ(end_.error().code(), ErrorCode::kTimeout);
  loop_.advance(milliseconds(10));
  EXPECT_EQ(end_.connected_count, 0);
}

TEST_F(FakeConnectorTest, RefusesAfterADelay) {
  connector_.on_connect = [](FakePeer& peer) { peer.refuse(milliseconds(5)); };
  open();
  loop_.advance(milliseconds(4));
  EXPECT_FALSE(end_.closed);
  loop_.advance(milliseconds(1));
  EXPECT_EQ(end_.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(connector_.open_count(), 0U);
}

TEST_F(FakeConnectorTest, DeliversInOrderAndInTheSplitAskedFor) {
  FakePeer& peer = open();
  peer.deliver("abcdefg");
  peer.deliver_split("xyz", 1, milliseconds(3));
  peer.deliver("!");
  loop_.run_ready();
  EXPECT_EQ(end_.text, "abcdefg");
  loop_.advance(milliseconds(3));
  EXPECT_EQ(end_.text, "abcdefgxyz!");
  EXPECT_EQ(end_.reads, (std::vector<std::size_t>{4, 3, 1, 1, 1, 1}));
}

TEST_F(FakeConnectorTest, HalfCloseComesAfterTheBytesBeforeIt) {
  FakePeer& peer = open();
  peer.deliver("abcdef");
  peer.half_close();
  loop_.run_ready();
  EXPECT_EQ(end_.text, "abcdef");
  EXPECT_EQ(end_.input_end_count, 1);
  EXPECT_TRUE(peer.is_open());
}

TEST_F(FakeConnectorTest, AResetIsTold) {
  open().reset();
  loop_.run_ready();
  EXPECT_EQ(end_.error().message(), "Connection lost: connection reset by peer");
}

TEST_F(FakeConnectorTest, StalledWritesStayUnsent) {
  FakePeer& peer = open();
  loop_.run_ready();
  peer.stall_writes(true);
  end_.stream->write("abc");
  EXPECT_EQ(end_.stream->unsent_bytes(), 3U);
  EXPECT_EQ(peer.received(), "");
  peer.stall_writes(false);
  EXPECT_EQ(end_.stream->unsent_bytes(), 0U);
  EXPECT_EQ(peer.received(), "abc");
}

TEST_F(FakeConnectorTest, AScriptAnswersWhatArrives) {
  connector_.on_receive = [](FakePeer& peer) { peer.deliver("re:" + peer.take_received()); };
  open();
  end_.stream->write("x");
  loop_.run_ready();
  EXPECT_EQ(end_.text, "re:x");
}

TEST_F(FakeConnectorTest, AStreamMayBeDestroyedInsideACallback) {
  FakePeer& peer = open();
  end_.when_read = [this] { end_.stream.reset(); };
  peer.deliver("abcdefgh");
  peer.reset();
  loop_.run_ready();
  EXPECT_EQ(end_.text, "abcd");
  EXPECT_FALSE(end_.closed);
  EXPECT_FALSE(peer.is_open());
}

TEST_F(FakeConnectorTest, IsSilentAfterClose) {
  FakePeer& peer = open();
  peer.deliver("abc");
  end_.stream->close();
  loop_.advance(milliseconds(100));
  EXPECT_EQ(end_.connected_count, 0);
  EXPECT_FALSE(end_.closed);
  EXPECT_EQ(end_.text, "");
}

}  // namespace
}  // namespace millrace::net
