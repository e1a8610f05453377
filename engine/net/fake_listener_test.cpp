#include "net/fake_listener.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "loop/fake_loop.h"
#include "net/listener.h"
#include "net/stream_fixture.h"

namespace millrace::net {
namespace {

class FakeListenerTest : public testing::Test {
 protected:
  ~FakeListenerTest() override { acceptor_.ends.clear(); }

  base::ManualClock clock_;
  loop::FakeLoop loop_{clock_};
  RecordingAcceptor acceptor_{loop_};
  std::unique_ptr<FakeListener> listener_ = std::make_unique<FakeListener>(loop_, acceptor_);
};

TEST_F(FakeListenerTest, AClientTalksToItsStream) {
  listener_->on_receive = [](FakePeer& client) { client.deliver("re:" + client.take_received()); };
  FakePeer& client = listener_->connect();
  client.deliver("hello");
  EXPECT_TRUE(acceptor_.ends.empty()) << "told inside the call";
  loop_.run_ready();
  ASSERT_EQ(acceptor_.ends.size(), 1U);
  Recorder& end = *acceptor_.ends[0];
  EXPECT_EQ(end.connected_count, 1);
  EXPECT_EQ(end.text, "hello");
  end.stream->write("answer");
  loop_.run_ready();
  EXPECT_EQ(end.text, "hellore:answer");
}

TEST_F(FakeListenerTest, ClientsWaitWhileItIsPaused) {
  listener_->pause();
  listener_->connect();
  listener_->connect();
  loop_.run_ready();
  EXPECT_EQ(listener_->backlog_count(), 2U);
  EXPECT_TRUE(acceptor_.ends.empty());
  listener_->resume();
  loop_.run_ready();
  EXPECT_EQ(acceptor_.ends.size(), 2U);
}

TEST_F(FakeListenerTest, AFailedAcceptPausesUntilToldToGoOn) {
  listener_->fail_accept(base::Error(base::ErrorCode::kResourceExhausted, "No descriptor"));
  listener_->connect();
  loop_.run_ready();
  EXPECT_EQ(acceptor_.paused->message(), "No descriptor");
  EXPECT_TRUE(acceptor_.ends.empty());
  listener_->resume();
  loop_.run_ready();
  EXPECT_EQ(acceptor_.ends.size(), 1U);
}

TEST_F(FakeListenerTest, AcceptsTheBacklogThenCloses) {
  listener_->pause();
  listener_->connect();
  listener_->connect();
  listener_->close_after_backlog();
  loop_.run_ready();
  EXPECT_EQ(acceptor_.ends.size(), 2U);
  EXPECT_EQ(acceptor_.closed_count, 1);
  EXPECT_FALSE(listener_->connect().is_open());
}

TEST_F(FakeListenerTest, AConnectionThatNobodyTakesIsClosed) {
  struct Refuser : Acceptor {
    void on_incoming(std::unique_ptr<Incoming> incoming) override {
      EXPECT_EQ(incoming->peer(), "client 1");
    }
    void on_accept_paused(const base::Error&) override {}
    void on_listener_closed() override {}
  } refuser;
  FakeListener listener(loop_, refuser);
  FakePeer& client = listener.connect();
  loop_.run_ready();
  EXPECT_FALSE(client.is_open());
}

TEST_F(FakeListenerTest, DestroyingItRefusesTheBacklog) {
  FakePeer& client = listener_->connect();
  const auto kept = client.shared_from_this();
  listener_.reset();
  EXPECT_FALSE(kept->is_open());
  loop_.run_ready();
}

TEST_F(FakeListenerTest, MayBeDestroyedWhenAClientArrives) {
  acceptor_.prepare = [this](Recorder&) { listener_.reset(); };
  listener_->connect();
  listener_->connect();
  loop_.run_ready();
  EXPECT_EQ(acceptor_.ends.size(), 1U);
}

}  // namespace
}  // namespace millrace::net
