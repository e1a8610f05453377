#include "net/tls_stream.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/fake_loop.h"
#include "net/fake_connector.h"
#include "net/stream.h"
#include "net/stream_fixture.h"
#include "net/tls_context.h"
#include "net/tls_fixture.h"

namespace millrace::net {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;

constexpr base::Duration kTimeout = milliseconds(100);

/// A client and a server on two fake streams whose ends are joined.
class TlsStreamTest : public testing::Test {
 protected:
  void open(const TlsOptions& client, const TlsOptions& server, const std::string& name) {
    open_end(client_, TlsContext::make(client, TlsRole::kClient), name);
    open_end(server_, TlsContext::make(server, TlsRole::kServer), "");
  }
  void open() {
    open(TestCertificates::get().client(), TestCertificates::get().server(), "localhost");
  }
  /// Carries bytes between the ends, in pieces of `split` bytes, until nothing moves.
  void carry(std::size_t split = 100'000) {
    for (bool moved = true; moved;) {
      loop_.run_ready();
      const std::size_t client = connector_.peer_count() - 2;
      moved = carry_one(client, client + 1, split);
      moved = carry_one(client + 1, client, split) || moved;
    }
  }
  bool carry_one(std::size_t from, std::size_t to, std::size_t split) {
    const std::string bytes = connector_.peer(from).take_received();
    if (bytes.empty()) return false;
    connector_.peer(to).deliver_split(bytes, split);
    return true;
  }

  base::ManualClock clock_;
  loop::FakeLoop loop_{clock_};
  FakeConnector connector_{loop_};
  Recorder client_{1000};
  Recorder server_{1000};

 private:
  void open_end(Recorder& end,
                base::Result<std::shared_ptr<const TlsContext>> context,
                const std::string& name) {
    auto stream = std::make_unique<TlsStream>(
        loop_,
        std::move(context),
        TlsStream::Settings{.handshake_timeout = kTimeout, .peer_name = name, .where = "there"},
        end);
    stream->start(connector_.connect({.host = "h", .port = 1}, {}, stream->inner_listener()));
    end.stream = std::move(stream);
  }
};

TEST_F(TlsStreamTest, CarriesBytesBothWaysInEverySplit) {
  for (const std::size_t split : {1UL, 7UL, 100'000UL}) {
    SCOPED_TRACE(split);
    open();
    client_.stream->write("before ");
    EXPECT_GT(client_.stream->unsent_bytes(), 0U);
    client_.when_connected = [this] { client_.stream->write("after"); };
    server_.when_connected = [this] { server_.stream->write(std::string(50'000, 's')); };
    carry(split);
    EXPECT_EQ(server_.text, "before after");
    EXPECT_EQ(client_.text, std::string(50'000, 's'));
    EXPECT_EQ(client_.stream->unsent_bytes(), 0U);
    client_.text.clear();
    server_.text.clear();
  }
}

TEST_F(TlsStreamTest, RefusesAPeerOfAnotherName) {
  open(TestCertificates::get().client(), TestCertificates::get().server(), "other.example");
  carry();
  ASSERT_TRUE(client_.closed);
  EXPECT_EQ(client_.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(client_.error().message(), "The peer's certificate is refused: hostname mismatch");
  EXPECT_EQ(client_.error().where(), "there");
  EXPECT_EQ(client_.connected_count, 0);
}

TEST_F(TlsStreamTest, RefusesAnAddressThatTheCertificateDoesNotName) {
  open(TestCertificates::get().client(), TestCertificates::get().server(), "127.0.0.2");
  carry();
  ASSERT_TRUE(client_.closed);
  EXPECT_EQ(client_.error().message(), "The peer's certificate is refused: IP address mismatch");
}

TEST_F(TlsStreamTest, TheNameMayBeGivenApartFromTheAddress) {
  TlsOptions client = TestCertificates::get().client();
  client.server_name = "localhost";
  open(client, TestCertificates::get().server(), "127.0.0.2");
  carry();
  EXPECT_EQ(client_.connected_count, 1);
}

TEST_F(TlsStreamTest, RefusesAPeerThatNobodyItTrustsVouchesFor) {
  TlsOptions client = TestCertificates::get().client();
  client.ca_file = TestCertificates::get().file("stranger.pem");
  open(client, TestCertificates::get().server(), "localhost");
  carry();
  ASSERT_TRUE(client_.closed);
  EXPECT_EQ(client_.error().message(),
            "The peer's certificate is refused: unable to get local issuer certificate");
  ASSERT_TRUE(server_.closed);
}

TEST_F(TlsStreamTest, WithoutVerificationAnyPeerWillDo) {
  open({.verify = false}, TestCertificates::get().server(), "other.example");
  carry();
  EXPECT_EQ(client_.connected_count, 1);
}

TEST_F(TlsStreamTest, AServerMayAskItsClientsForACertificate) {
  TlsOptions server = TestCertificates::get().server();
  server.ca_file = TestCertificates::get().file("ca.pem");
  open(TestCertificates::get().client(), server, "localhost");
  carry();
  ASSERT_TRUE(server_.closed);
  EXPECT_EQ(server_.error().message(), "TLS handshake failed: peer did not return a certificate");
}

TEST_F(TlsStreamTest, BadFilesAreToldAsAConnectionThatFails) {
  open({.ca_file = "no_such_file"}, TestCertificates::get().server(), "localhost");
  EXPECT_FALSE(client_.closed) << "told inside the call";
  carry();
  ASSERT_TRUE(client_.closed);
  EXPECT_EQ(client_.error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(TlsStreamTest, APeerThatSpeaksNoTlsIsRefused) {
  open();
  connector_.peer(0).deliver("HTTP/1.1 400 Bad Request\r\n\r\n");
  loop_.run_ready();
  ASSERT_TRUE(client_.closed);
  EXPECT_TRUE(client_.error().message().starts_with("TLS handshake failed: "));
}

TEST_F(TlsStreamTest, TheHandshakeHasATimeLimit) {
  open();
  loop_.advance(kTimeout - milliseconds(1));
  EXPECT_FALSE(client_.closed);
  loop_.advance(milliseconds(1));
  ASSERT_TRUE(client_.closed);
  EXPECT_EQ(client_.error().code(), ErrorCode::kTimeout);
}

TEST_F(TlsStreamTest, AnEndInGoodOrderDiffersFromACut) {
  open();
  carry();
  server_.stream->close();
  carry();
  EXPECT_EQ(client_.input_end_count, 1);
  EXPECT_FALSE(client_.closed);
}

TEST_F(TlsStreamTest, ACutIsNoEnd) {
  open();
  carry();
  connector_.peer(0).half_close();
  carry();
  ASSERT_TRUE(client_.closed);
  EXPECT_EQ(client_.error().message(), "Cut off: the peer closed without ending TLS");
}

TEST_F(TlsStreamTest, ATamperedByteBreaksTheStream) {
  open();
  carry();
  server_.stream->write("secret");
  std::string bytes = connector_.peer(1).take_received();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  connector_.peer(0).deliver(bytes);
  carry();
  ASSERT_TRUE(client_.closed);
  EXPECT_TRUE(client_.error().message().starts_with("TLS broken: ")) << client_.error().message();
  EXPECT_EQ(client_.text, "");
}

TEST_F(TlsStreamTest, MayBeDestroyedInsideEveryCall) {
  open();
  client_.when_connected = [this] { client_.stream.reset(); };
  server_.when_closed = [this] { server_.stream.reset(); };
  carry();
  EXPECT_EQ(client_.stream, nullptr);
  EXPECT_FALSE(client_.closed);
}

TEST_F(TlsStreamTest, MayBeDestroyedWhenBytesArrive) {
  open();
  server_.when_connected = [this] { server_.stream->write(std::string(5000, 'x')); };
  client_.when_read = [this] { client_.stream.reset(); };
  carry();
  EXPECT_EQ(client_.text.size(), 1000U);
  EXPECT_FALSE(client_.closed);
}

}  // namespace
}  // namespace millrace::net
