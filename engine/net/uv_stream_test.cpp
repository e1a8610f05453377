#include "net/uv_stream.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <semaphore>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "loop/event_loop.h"
#include "loop/loop_fixture.h"
#include "net/stream_fixture.h"
#include "net/uv_connector.h"

namespace millrace::net {
namespace {

using base::ErrorCode;
using loop::run_and_wait;

class UvStreamTest : public testing::Test {
 protected:
  ~UvStreamTest() override {
    run_and_wait(*loop_, [&] { end_.stream.reset(); });
  }
  void connect() {
    run_and_wait(*loop_, [&] { end_.stream = connector_.connect(server_.address(), {}, end_); });
  }
  void connect_and_wait() {
    end_.when_connected = [this] { event_.release(); };
    connect();
    event_.acquire();
  }

  std::unique_ptr<loop::EventLoop> loop_ = loop::EventLoop::create("test").value();
  UvConnector connector_{*loop_};
  RawServer server_;
  std::binary_semaphore event_{0};
  Recorder end_;
};

TEST_F(UvStreamTest, SendsWhatWasWrittenBeforeTheConnectionFirst) {
  end_.when_connected = [this] { end_.stream->write("second"); };
  run_and_wait(*loop_, [&] {
    end_.stream = connector_.connect(server_.address(), {}, end_);
    end_.stream->write("first ");
    EXPECT_EQ(end_.stream->unsent_bytes(), 6U);
    EXPECT_EQ(end_.connected_count, 0);
  });
  const int peer = server_.accept();
  EXPECT_EQ(RawServer::read(peer, 12), "first second");
  ::close(peer);
  run_and_wait(*loop_, [&] { EXPECT_EQ(end_.connected_count, 1); });
}

TEST_F(UvStreamTest, TellsWhenThePeerEndsItsSide) {
  end_.when_input_end = [this] { event_.release(); };
  connect();
  const int peer = server_.accept();
  ASSERT_EQ(::write(peer, "last words", 10), 10);
  ASSERT_EQ(::shutdown(peer, SHUT_WR), 0);
  event_.acquire();
  EXPECT_EQ(end_.text, "last words");
  EXPECT_FALSE(end_.closed);
  ::close(peer);
}

TEST_F(UvStreamTest, TellsWhenTheConnectionIsReset) {
  end_.when_closed = [this] { event_.release(); };
  connect_and_wait();  // a reset that the loop meets before that is one of the attempt to connect
  RawServer::reset(server_.accept());
  event_.acquire();
  EXPECT_EQ(end_.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(end_.error().message(), "Connection lost: connection reset by peer");
  EXPECT_EQ(end_.error().where(), to_string(server_.address()));
}

TEST_F(UvStreamTest, AWriteToAPeerThatWentAwayEndsTheStreamAndNotTheProcess) {
  std::binary_semaphore is_reset{0};
  end_.when_closed = [this] { event_.release(); };
  end_.when_read = [&] {
    // The reset is there before the loop looks: the first write meets it, the second a broken pipe.
    is_reset.acquire();
    end_.stream->write("x");
    end_.stream->write("y");
  };
  connect_and_wait();
  const int peer = server_.accept();
  ASSERT_EQ(::write(peer, "go", 2), 2);
  RawServer::reset(peer);
  is_reset.release();
  event_.acquire();
  EXPECT_EQ(end_.error().code(), ErrorCode::kUnavailable);
}

TEST_F(UvStreamTest, KeepsWhatTheKernelDoesNotTakeAndSendsItLater) {
  constexpr std::size_t kBytes = std::size_t{32} << 20;
  connect_and_wait();
  const int peer = server_.accept();
  run_and_wait(*loop_, [&] {
    end_.stream->write(std::string(kBytes / 2, 'a'));
    end_.stream->write(std::string(kBytes / 2, 'b'));
    EXPECT_GT(end_.stream->unsent_bytes(), kBytes / 2);
    EXPECT_LE(end_.stream->unsent_bytes(), kBytes);
  });
  const std::string received = RawServer::read(peer, kBytes);
  EXPECT_EQ(received, std::string(kBytes / 2, 'a') + std::string(kBytes / 2, 'b'));
  run_and_wait(*loop_, [&] { end_.stream->write("c"); });
  EXPECT_EQ(RawServer::read(peer, 1), "c");
  run_and_wait(*loop_, [&] { EXPECT_EQ(end_.stream->unsent_bytes(), 0U); });
  ::close(peer);
}

TEST_F(UvStreamTest, MayBeDestroyedWhenConnected) {
  end_.when_connected = [this] {
    end_.stream.reset();
    event_.release();
  };
  connect();
  event_.acquire();
  const int peer = server_.accept();
  EXPECT_EQ(RawServer::read(peer, 1), "");
  EXPECT_FALSE(end_.closed);
  ::close(peer);
}

TEST_F(UvStreamTest, MayBeDestroyedWhenBytesArrive) {
  end_.when_read = [this] {
    end_.stream.reset();
    event_.release();
  };
  connect();
  const int peer = server_.accept();
  ASSERT_EQ(::write(peer, "x", 1), 1);
  event_.acquire();
  EXPECT_EQ(RawServer::read(peer, 1), "");
  EXPECT_EQ(end_.text, "x");
  EXPECT_FALSE(end_.closed);
  ::close(peer);
}

TEST_F(UvStreamTest, MayBeDestroyedWhenClosed) {
  end_.when_closed = [this] {
    end_.stream.reset();
    event_.release();
  };
  connect_and_wait();
  RawServer::reset(server_.accept());
  event_.acquire();
  EXPECT_TRUE(end_.closed);
}

TEST_F(UvStreamTest, IsSilentAfterClose) {
  connect_and_wait();
  run_and_wait(*loop_, [&] {
    end_.stream->write(std::string(std::size_t{16} << 20, 'a'));
    end_.stream->close();
    end_.stream->close();
    end_.stream->write("nothing");
    EXPECT_EQ(end_.stream->unsent_bytes(), 0U);
  });
  ::close(server_.accept());
  // Two turns later libuv has nothing left to say.
  run_and_wait(*loop_, [] {});
  run_and_wait(*loop_, [&] { EXPECT_FALSE(end_.closed); });
}

}  // namespace
}  // namespace millrace::net
