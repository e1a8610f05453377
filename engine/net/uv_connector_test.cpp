#include "net/uv_connector.h"

#include <chrono>
#include <memory>
#include <semaphore>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "loop/event_loop.h"
#include "loop/loop_fixture.h"
#include "net/address.h"
#include "net/stream_fixture.h"
#include "net/tls_fixture.h"

namespace millrace::net {
namespace {

using base::ErrorCode;
using loop::run_and_wait;

class UvConnectorTest : public testing::Test {
 protected:
  ~UvConnectorTest() override {
    if (loop_) run_and_wait(*loop_, [&] { end_.stream.reset(); });
  }
  /// Connects and waits for the first thing that happens.
  void connect(const Address& address, const ConnectOptions& options = {}) {
    end_.when_connected = [this] { event_.release(); };
    end_.when_closed = [this] { event_.release(); };
    run_and_wait(*loop_, [&] {
      end_.stream = connector_.connect(address, options, end_);
      EXPECT_FALSE(end_.closed) << "told inside the call";
    });
    event_.acquire();
  }

  std::unique_ptr<loop::EventLoop> loop_ = loop::EventLoop::create("test").value();
  UvConnector connector_{*loop_};
  std::counting_semaphore<2> event_{0};
  Recorder end_;
};

TEST_F(UvConnectorTest, TellsThatAConnectionIsRefused) {
  RawServer server;
  const Address address = server.address();
  server.stop();
  connect(address);
  ASSERT_TRUE(end_.closed);
  EXPECT_EQ(end_.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(end_.error().message(), "Cannot connect: connection refused");
  EXPECT_EQ(end_.error().where(), to_string(address));
  EXPECT_EQ(end_.connected_count, 0);
}

TEST_F(UvConnectorTest, LooksUpNamesAndTriesEachAddress) {
  // The server listens on 127.0.0.1 only; the name may stand for ::1 first.
  RawServer server;
  connect({.host = "localhost", .port = server.address().port});
  // On the loop: when the server goes, the stream will be told there.
  run_and_wait(*loop_, [&] {
    EXPECT_FALSE(end_.closed);
    EXPECT_EQ(end_.connected_count, 1);
    end_.stream.reset();
  });
}

TEST_F(UvConnectorTest, TellsThatANameIsUnknown) {
  connect({.host = "no such host", .port = 80});
  ASSERT_TRUE(end_.closed);
  EXPECT_EQ(end_.error().code(), ErrorCode::kUnavailable);
  EXPECT_TRUE(end_.error().message().starts_with("Cannot look up a host: "))
      << end_.error().message();
}

TEST_F(UvConnectorTest, TellsThatAUnixSocketIsMissingOrItsPathTooLong) {
  connect({.unix_path = testing::TempDir() + "no_such_socket"});
  ASSERT_TRUE(end_.closed);
  EXPECT_EQ(end_.error().message(), "Cannot connect: no such file or directory");
  end_.closed.reset();
  connect({.unix_path = std::string(200, 'x')});
  ASSERT_TRUE(end_.closed);
  EXPECT_EQ(end_.error().message(), "Cannot connect: name too long");
}

TEST_F(UvConnectorTest, GivesUpAtTheConnectTimeout) {
  // No time at all: the timer fires before a connection can be seen.
  RawServer server;
  connect(server.address(), {.connect_timeout = std::chrono::seconds(-1)});
  ASSERT_TRUE(end_.closed);
  EXPECT_EQ(end_.error().code(), ErrorCode::kTimeout);
}

TEST_F(UvConnectorTest, ReadsTlsFilesBeforehandAndSaysIfTheyAreBad) {
  EXPECT_TRUE(connector_.prepare(TestCertificates::get().client()));
  const auto status = connector_.prepare({.ca_file = "no_such_file"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(UvConnectorTest, ALookupMayOutliveItsStreamAndTheLoopWaitsForIt) {
  run_and_wait(*loop_, [&] {
    for (int i = 0; i < 20; ++i) {
      end_.stream = connector_.connect({.host = "localhost", .port = 1}, {}, end_);
    }
    end_.stream.reset();
  });
  loop_.reset();
  EXPECT_FALSE(end_.closed);
}

}  // namespace
}  // namespace millrace::net
