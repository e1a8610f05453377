#include "net/uv_listener.h"

#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "loop/event_loop.h"
#include "loop/loop_fixture.h"
#include "net/address.h"
#include "net/descriptor.h"
#include "net/listener.h"
#include "net/listening_socket.h"
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
      auto listener = UvListener::listen(*loop_, address, acceptor_, {.tls = tls});
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
  RecordingAcceptor acceptor_{*loop_};
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

TEST_F(UvListenerTest, S5_NewFilesServeNewConnectionsAndBadOnesKeepTheOld) {
  const TestCertificates& files = TestCertificates::get();
  listen({.host = "127.0.0.1"}, files.server());
  echo({.tls = files.client()});
  run_and_wait(*loop_, [&] {
    TlsOptions bad = files.server();
    bad.key_file = files.file("ca.key");
    EXPECT_FALSE(listener_->replace_tls(bad));
  });
  end_.text.clear();
  echo({.tls = files.client()});
  // Another certificate: those who are connected stay, newcomers see it.
  Recorder refused;
  refused.when_closed = [this] { done_.release(); };
  run_and_wait(*loop_, [&] {
    ASSERT_TRUE(listener_->replace_tls(
        {.certificate_file = files.file("stranger.pem"), .key_file = files.file("stranger.key")}));
    refused.stream = connector_.connect(listener_->address(), {.tls = files.client()}, refused);
  });
  done_.acquire();
  end_.text.clear();
  run_and_wait(*loop_, [&] {
    EXPECT_TRUE(refused.error().message().starts_with("The peer's certificate is refused"));
    end_.stream->write("hello");
  });
  done_.acquire();
  run_and_wait(*loop_, [&] { refused.stream.reset(); });
}

TEST_F(UvListenerTest, S5_AlpnAgreesOnHttpOrRefuses) {
  TlsOptions server = TestCertificates::get().server();
  server.protocol = "http/1.1";
  listen({.host = "127.0.0.1"}, server);
  TlsOptions client = TestCertificates::get().client();
  echo({.tls = client});
  client.protocol = "http/1.1";
  end_.text.clear();
  echo({.tls = client});
  client.protocol = "h2";
  Recorder refused;
  refused.when_closed = [this] { done_.release(); };
  run_and_wait(*loop_, [&] {
    refused.stream = connector_.connect(listener_->address(), {.tls = client}, refused);
  });
  done_.acquire();
  run_and_wait(*loop_, [&] {
    EXPECT_NE(refused.error().message().find("no application protocol"), std::string::npos)
        << refused.error().message();
    refused.stream.reset();
  });
}

TEST_F(UvListenerTest, S5_PlainBytesOnATlsPortAreClosedUnanswered) {
  listen({.host = "127.0.0.1"}, TestCertificates::get().server());
  for (const std::string& bytes : {std::string("GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
                                   std::string("SSH-2.0-x\r\n"),
                                   std::string(100, '\0')}) {
    const Descriptor client = RawClient::connect(listener_->address());
    ASSERT_EQ(::write(client.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
    EXPECT_EQ(RawServer::read(client.get(), 1), "") << bytes;
  }
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
    EXPECT_EQ(listener.error().message(), "Cannot listen: Address already in use");
  });
}

TEST_F(UvListenerTest, AHostThatIsNoAddressIsAnError) {
  run_and_wait(*loop_,
               [&] { EXPECT_FALSE(UvListener::listen(*loop_, {.host = "somewhere"}, acceptor_)); });
}

TEST_F(UvListenerTest, AConnectionThatNobodyTakesIsClosed) {
  struct Refuser : Acceptor {
    void on_incoming(std::unique_ptr<Incoming>) override {}
    void on_accept_paused(const base::Error&) override {}
    void on_listener_closed() override {}
  } refuser;
  end_.when_input_end = [this] { done_.release(); };
  run_and_wait(*loop_, [&] {
    listener_ = UvListener::listen(*loop_, {.host = "127.0.0.1"}, refuser).value();
    end_.stream = connector_.connect(listener_->address(), {}, end_);
  });
  done_.acquire();
  run_and_wait(*loop_, [&] { listener_.reset(); });
}

TEST_F(UvListenerTest, AnotherLoopAdoptsAConnection) {
  const auto other = loop::EventLoop::create("other").value();
  Recorder far;
  far.when_read = [&] { far.stream->write(std::exchange(far.text, {})); };
  /// Hands the connection to the other loop, as a server with several loops does.
  struct Spreader : Acceptor {
    std::unique_ptr<Incoming> handed;
    std::binary_semaphore arrived{0};
    void on_incoming(std::unique_ptr<Incoming> incoming) override {
      EXPECT_TRUE(incoming->peer().starts_with("127.0.0.1:")) << incoming->peer();
      handed = std::move(incoming);
      arrived.release();
    }
    void on_accept_paused(const base::Error&) override {}
    void on_listener_closed() override {}
  } spreader;
  end_.when_read = [this] {
    if (end_.text == "hello") done_.release();
  };
  run_and_wait(*loop_, [&] {
    listener_ = UvListener::listen(*loop_, {.host = "127.0.0.1"}, spreader).value();
    end_.stream = connector_.connect(listener_->address(), {}, end_);
    end_.stream->write("hello");
  });
  spreader.arrived.acquire();
  run_and_wait(*other, [&] { far.stream = spreader.handed->adopt(*other, far); });
  done_.acquire();
  run_and_wait(*other, [&] {
    EXPECT_EQ(far.connected_count, 1);
    far.stream.reset();
  });
  other->stop();
}

TEST_F(UvListenerTest, APausedListenerLetsClientsWait) {
  listen({.host = "127.0.0.1"});
  run_and_wait(*loop_, [&] { listener_->pause(); });
  end_.when_connected = [this] { done_.release(); };
  run_and_wait(*loop_, [&] { end_.stream = connector_.connect(listener_->address(), {}, end_); });
  done_.acquire();
  for (int i = 0; i < 10; ++i) run_and_wait(*loop_, [] {});
  run_and_wait(*loop_, [&] {
    EXPECT_TRUE(acceptor_.ends.empty());
    acceptor_.prepare = [this](Recorder& end) { end.when_connected = [this] { done_.release(); }; };
    listener_->resume();
  });
  done_.acquire();
}

TEST_F(UvListenerTest, WhatWaitsInTheBacklogIsAcceptedBeforeItCloses) {
  constexpr int kClients = 5;
  listen({.host = "127.0.0.1"});
  run_and_wait(*loop_, [&] { listener_->pause(); });
  std::vector<Descriptor> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(RawClient::connect(listener_->address()));
  run_and_wait(*loop_, [&] {
    listener_->close_after_backlog();
    listener_->close_after_backlog();
    EXPECT_TRUE(acceptor_.ends.empty()) << "told inside the call";
  });
  run_and_wait(*loop_, [&] {
    EXPECT_EQ(acceptor_.ends.size(), kClients);
    EXPECT_EQ(acceptor_.closed_count, 1);
  });
  EXPECT_FALSE(RawClient::connect(listener_->address()).is_open());
}

TEST_F(UvListenerTest, MayBeDestroyedWhenAConnectionArrives) {
  listen({.host = "127.0.0.1"});
  acceptor_.prepare = [this](Recorder&) { listener_.reset(); };
  const Address address = listener_->address();
  run_and_wait(*loop_, [&] { listener_->pause(); });
  const Descriptor first = RawClient::connect(address);
  const Descriptor second = RawClient::connect(address);
  run_and_wait(*loop_, [&] { listener_->close_after_backlog(); });
  run_and_wait(*loop_, [&] {
    EXPECT_EQ(acceptor_.ends.size(), 1U);
    EXPECT_EQ(acceptor_.closed_count, 0);
  });
}

TEST_F(UvListenerTest, WithoutDescriptorsItPausesUntilToldToGoOn) {
  listen({.host = "127.0.0.1"});
  const Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  // Every number below the limit is taken, and no higher one is allowed.
  std::vector<Descriptor> fillers;
  const rlimit few{.rlim_cur = static_cast<rlim_t>(client.get() + 64), .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  while (true) {
    Descriptor filler(::dup(client.get()));
    if (!filler.is_open()) break;
    fillers.push_back(std::move(filler));
  }
  RawClient::connect_socket(client, listener_->address());
  for (bool paused = false; !paused;) {
    run_and_wait(*loop_, [&] { paused = acceptor_.paused.has_value(); });
  }
  run_and_wait(*loop_, [&] { EXPECT_TRUE(acceptor_.ends.empty()); });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  fillers.clear();
  EXPECT_EQ(acceptor_.paused->message(), "Cannot accept connections: Too many open files");
  EXPECT_EQ(acceptor_.paused->code(), base::ErrorCode::kResourceExhausted);
  acceptor_.prepare = [this](Recorder& end) { end.when_connected = [this] { done_.release(); }; };
  run_and_wait(*loop_, [&] { listener_->resume(); });
  done_.acquire();
}

TEST_F(UvListenerTest, AnInheritedSocketIsServed) {
  auto socket = ListeningSocket::open({.host = "127.0.0.1"}).value();
  Descriptor inherited(::dup(socket.descriptor()));
  run_and_wait(*loop_, [&] {
    listener_ = UvListener::inherit(*loop_, std::move(inherited), acceptor_).value();
  });
  EXPECT_EQ(listener_->address(), socket.address());
  echo();
}

TEST_F(UvListenerTest, ADescriptorThatDoesNotListenIsNotInherited) {
  run_and_wait(*loop_, [&] {
    const auto listener = UvListener::inherit(*loop_, Descriptor(::dup(0)), acceptor_);
    ASSERT_FALSE(listener);
    EXPECT_EQ(listener.error().code(), base::ErrorCode::kInvalidArgument);
  });
}

}  // namespace
}  // namespace millrace::net
