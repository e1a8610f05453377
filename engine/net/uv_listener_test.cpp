#include "net/uv_listener.h"

#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "loop/event_loop.h"
#include "loop/loop_fixture.h"
#include "net/address.h"
#include "net/stream_fixture.h"
#include "net/tls_fixture.h"
#include "net/uv_connector.h"

namespace millrace::net {
namespace {

using loop::run_and_wait;

class UvListenerTest : public testing::Test {
 protected:
  ~UvListenerTest() override {
    run_and_wait(*loop_, [&] {
      end_.stream.reset();
      acceptor_.ends.clear();
      listener_.reset();
    });
  }
  void listen(const Address& address, const std::optional<TlsOptions>& tls = {}) {
    run_and_wait(*loop_, [&] {
      auto listener = UvListener::listen(*loop_, address, acceptor_, tls);
      ASSERT_TRUE(listener) << listener.error().to_string();
      listener_ = std::move(*listener);
    });
  }
  /// Lets an echo come back.
  void echo(const ConnectOptions& options = {}) {
    acceptor_.prepare = [](Recorder& end) {
      end.when_read = [&end] { end.stream->write(std::exchange(end.text, {})); };
    };
    end_.when_read = [this] {
      if (end_.text == "hello") done_.release();
    };
    run_and_wait(*loop_, [&] {
      end_.stream = connector_.connect(listener_->address(), options, end_);
      end_.stream->write("hello");
    });
    done_.acquire();
  }

  std::unique_ptr<loop::EventLoop> loop_ = loop::EventLoop::create("test").value();
  UvConnector connector_{*loop_};
  std::unique_ptr<UvListener> listener_;
  RecordingAcceptor acceptor_;
  Recorder end_;
  std::binary_semaphore done_{0};
};

TEST_F(UvListenerTest, TakesAFreePortAndHandsOutStreams) {
  listen({.host = "127.0.0.1"});
  EXPECT_NE(listener_->address().port, 0);
  echo();
  run_and_wait(*loop_, [&] {
    ASSERT_EQ(acceptor_.ends.size(), 1U);
    EXPECT_EQ(acceptor_.ends[0]->connected_count, 1);
  });
}

TEST_F(UvListenerTest, ServesUnixSockets) {
  const std::string path = testing::TempDir() + "mr_" + std::to_string(getpid()) + ".sock";
  listen({.unix_path = path});
  echo();
}

TEST_F(UvListenerTest, ServesTls) {
  const TestCertificates& certificates = TestCertificates::get();
  listen({.host = "127.0.0.1"}, certificates.server());
  echo({.tls = certificates.client()});
}

TEST_F(UvListenerTest, ServesTlsOnUnixSocketsToWhoNamesIt) {
  const std::string path = testing::TempDir() + "mr_tls_" + std::to_string(getpid()) + ".sock";
  listen({.unix_path = path}, TestCertificates::get().server());
  TlsOptions client = TestCertificates::get().client();
  client.server_name = "localhost";
  echo({.tls = client});
}

TEST_F(UvListenerTest, ATakenPortIsAnError) {
  const RawServer server;
  run_and_wait(*loop_, [&] {
    const auto listener = UvListener::listen(*loop_, server.address(), acceptor_);
    ASSERT_FALSE(listener);
    EXPECT_EQ(listener.error().message(), "Cannot listen: address already in use");
  });
}

TEST_F(UvListenerTest, AHostThatIsNoAddressIsAnError) {
  run_and_wait(*loop_,
               [&] { EXPECT_FALSE(UvListener::listen(*loop_, {.host = "somewhere"}, acceptor_)); });
}

TEST_F(UvListenerTest, AConnectionThatNobodyTakesIsClosed) {
  struct Refuser : Acceptor {
    void on_incoming(Incoming&) override {}
  } refuser;
  end_.when_closed = [this] { done_.release(); };
  run_and_wait(*loop_, [&] {
    listener_ = UvListener::listen(*loop_, {.host = "127.0.0.1"}, refuser).value();
    end_.stream = connector_.connect(listener_->address(), {}, end_);
  });
  done_.acquire();
  run_and_wait(*loop_, [&] { listener_.reset(); });
  EXPECT_EQ(end_.closed->message(), "Closed by the peer");
}

}  // namespace
}  // namespace millrace::net
