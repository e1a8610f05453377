#include "net/fake_peer.h"

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "loop/fake_loop.h"
#include "net/stream.h"
#include "net/stream_fixture.h"

namespace millrace::net {
namespace {

using std::chrono::milliseconds;

class FakePeerTest : public testing::Test {
 protected:
  base::ManualClock clock_;
  loop::FakeLoop loop_{clock_};
  FakePeer::Script script_;
  std::shared_ptr<FakePeer> peer_ =
      std::make_shared<FakePeer>(loop_, Address{.host = "h", .port = 1}, ConnectOptions{}, script_);
  Recorder end_;
};

TEST_F(FakePeerTest, WhatItDidBeforeThereWasAStreamIsPlayedThen) {
  peer_->accept();
  peer_->deliver("early");
  loop_.run_ready();
  end_.stream = peer_->open_stream(loop_, end_);
  EXPECT_EQ(end_.connected_count, 0);
  loop_.run_ready();
  EXPECT_EQ(end_.connected_count, 1);
  EXPECT_EQ(end_.text, "early");
}

TEST_F(FakePeerTest, ItsStreamMayLiveOnAnotherLoopThanTheConnection) {
  loop::FakeLoop other(clock_);
  peer_->accept();
  end_.stream = peer_->open_stream(other, end_);
  loop_.run_ready();
  EXPECT_EQ(end_.connected_count, 0);
  other.run_ready();
  EXPECT_EQ(end_.connected_count, 1);
  end_.stream.reset();
}

TEST_F(FakePeerTest, SeesTheEndAfterTheBytes) {
  int script_calls = 0;
  script_ = [&](FakePeer&) { ++script_calls; };
  peer_->accept();
  end_.stream = peer_->open_stream(loop_, end_);
  loop_.run_ready();
  peer_->stall_writes(true);
  end_.stream->write("abc");
  end_.stream->finish();
  EXPECT_FALSE(peer_->saw_end());
  peer_->stall_writes(false);
  EXPECT_TRUE(peer_->saw_end());
  EXPECT_EQ(peer_->received(), "abc");
  EXPECT_EQ(script_calls, 1);
}

TEST_F(FakePeerTest, AResetBehindBytesWaitsWhileTheStreamIsPaused) {
  peer_->accept();
  end_.stream = peer_->open_stream(loop_, end_);
  loop_.run_ready();
  end_.stream->pause_reading();
  peer_->deliver("abc", milliseconds(1));
  peer_->reset();
  loop_.advance(milliseconds(5));
  EXPECT_FALSE(end_.closed);
  end_.stream->resume_reading();
  loop_.run_ready();
  EXPECT_EQ(end_.text, "abc");
  EXPECT_EQ(end_.error().message(), "Connection lost: connection reset by peer");
}

TEST_F(FakePeerTest, AConnectionWithoutAStreamMayBeDropped) {
  peer_->deliver("abc");
  peer_->drop();
  EXPECT_FALSE(peer_->is_open());
  peer_->deliver("def");
  loop_.run_ready();
}

}  // namespace
}  // namespace millrace::net
