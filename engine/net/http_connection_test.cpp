#include "net/http_connection.h"

#include <chrono>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/loop_fixture.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "net/stream_fixture.h"
#include "net/tls_fixture.h"
#include "net/uv_connector.h"
#include "net/uv_listener.h"

// Connections on real sockets; what a client does with them in virtual time is in
// http_client_test.cpp.

namespace millrace::net {
namespace {

using loop::run_and_wait;

class SignalledCall : public HttpCall {
 public:
  std::optional<base::Result<HttpReply>> reply;
  std::binary_semaphore done{0};

 protected:
  void on_done(base::Result<HttpReply> got) override {
    reply = std::move(got);
    done.release();
  }
};

class HttpConnectionTest : public testing::Test {
 protected:
  void run(const std::optional<TlsOptions>& server, const std::optional<TlsOptions>& client) {
    acceptor_.prepare = [](Recorder& end) {
      end.when_read = [&end] {
        if (!end.text.ends_with("\r\n\r\n")) return;
        end.text.clear();
        end.stream->write("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n");
        end.stream->write(std::string(200'000, 'x'));
      };
    };
    run_and_wait(*loop_, [&] {
      listener_ =
          UvListener::listen(*loop_, {.host = "127.0.0.1"}, acceptor_, {.tls = server}).value();
      client_ = std::make_unique<HttpClient>(
          *loop_,
          connector_,
          random_,
          HttpClientOptions{.address = listener_->address(),
                            .connect = {.connect_timeout = std::chrono::minutes(1), .tls = client},
                            .request_timeout = std::chrono::minutes(1)});
    });
    for (int i = 0; i < 3; ++i) {
      SignalledCall call;
      run_and_wait(*loop_, [&] { ASSERT_TRUE(client_->send(call, {}, {})); });
      call.done.acquire();
      ASSERT_TRUE(call.reply->has_value()) << call.reply->error().to_string();
      EXPECT_EQ((*call.reply)->body, std::string(200'000, 'x'));
    }
    run_and_wait(*loop_, [&] {
      EXPECT_EQ(client_->counters().connections, 1U);
      client_.reset();
      acceptor_.ends.clear();
      listener_.reset();
    });
  }

  std::unique_ptr<loop::EventLoop> loop_ = loop::EventLoop::create("test").value();
  UvConnector connector_{*loop_};
  base::SplitMix64 random_{1};
  RecordingAcceptor acceptor_{*loop_};
  std::unique_ptr<UvListener> listener_;
  std::unique_ptr<HttpClient> client_;
};

TEST_F(HttpConnectionTest, IsUsedAgainOnTcp) { run({}, {}); }

TEST_F(HttpConnectionTest, IsUsedAgainOnTls) {
  run(TestCertificates::get().server(), TestCertificates::get().client());
}

}  // namespace
}  // namespace millrace::net
