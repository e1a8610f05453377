// The link on libnats with a real server.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sync/mutex.h"
#include "nats/client.h"
#include "nats/library_link.h"
#include "nats_server.h"

namespace millrace::nats {
namespace {

using live::NatsServer;
using ::testing::HasSubstr;

constexpr base::Duration kLong = std::chrono::seconds(60);

struct CountingSink final : MessageSink {
  void on_message(Message message) override {
    {
      const base::MutexLock lock(mutex);
      texts.push_back(message.data);
    }
    if (link != nullptr && !message.reply.empty())
      (void)link->publish(
          {.subject = message.reply, .data = message.data, .headers = message.headers});
    ++count;
  }
  base::Mutex mutex;
  std::vector<std::string> texts MR_GUARDED_BY(mutex);
  std::atomic<int> count{0};
  Link* link = nullptr;  ///< where to answer; nullptr: nowhere
};

template <class Condition>
void wait_for(Condition condition) {
  while (!condition()) std::this_thread::yield();
}

std::unique_ptr<Client> connect(const LinkSettings& settings) {
  auto client = Client::connect(settings);
  EXPECT_TRUE(client) << client.error().to_string();
  return *std::move(client);
}

TEST(LiveLinkTest, HeadersAndBytesArriveAsTheyWereSent) {
  const NatsServer server;
  const auto client = connect({.urls = {server.url()}});
  CountingSink sink;
  sink.link = &client->link();
  const auto subscription = client->link().subscribe("echo", "group", sink);
  ASSERT_TRUE(subscription);
  const std::string bytes("a\0b\r\n\xff", 6);
  const auto answer = client->box().ask_and_wait(
      {.subject = "echo", .data = bytes, .headers = {{"X-Deadline-Ms", "5"}, {"x-lower", "v v"}}},
      kLong);
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(answer->data, bytes);
  EXPECT_EQ(answer->find_header("X-Deadline-Ms"), "5");
  EXPECT_EQ(answer->find_header("x-lower"), "v v");
  EXPECT_FALSE(answer->find_header("X-Lower"));
}

TEST(LiveLinkTest, WhatTheSocketDoesNotTakeLeavesLaterInOrder) {
  NatsServer server;
  const auto client = connect({.urls = {server.url()}});
  CountingSink sink;
  const auto subscription = client->link().subscribe("s", "", sink);
  ASSERT_TRUE(client->link().flush(kLong));
  // Far more than the buffers of a socket hold. Nothing waits for a server that does not read.
  server.pause();
  constexpr int kCount = 200;
  for (int i = 0; i < kCount; ++i) {
    const std::string text = std::to_string(i) + std::string(100'000, ' ');
    ASSERT_TRUE(client->link().queue({.subject = "s", .data = text}));
    if (i % 20 == 0) client->link().send();
  }
  client->link().send();
  server.resume();
  wait_for([&] { return sink.count == kCount; });
  const base::MutexLock lock(sink.mutex);
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(std::atoi(sink.texts[i].c_str()), i);
}

TEST(LiveLinkTest, NAT6_WhatWaitsForAPeerThatDoesNotReadIsBounded) {
  NatsServer server;
  const auto client = connect({.urls = {server.url()}});
  Link& link = client->link();
  server.pause();
  // 64 MiB and what the buffers of both sockets hold.
  const std::string megabyte(1'000'000, 'x');
  base::Status queued;
  int taken = 0;
  for (; taken < 200; ++taken) {
    queued = link.queue({.subject = "s", .data = megabyte});
    if (!queued) break;
    link.send();
  }
  ASSERT_FALSE(queued);
  EXPECT_THAT(queued.error().message(), HasSubstr("does not read"));
  EXPECT_EQ(queued.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_GE(taken, 64);
  EXPECT_TRUE(link.queue({.subject = "s", .data = "small"})) << "there is room for it";
  server.resume();
  ASSERT_TRUE(link.flush(kLong));
  for (int i = 0; i < taken; ++i) {
    ASSERT_TRUE(link.publish({.subject = "s", .data = megabyte}));
    ASSERT_TRUE(link.flush(kLong)) << "it reads again, so nothing waits";
  }
}

TEST(LiveLinkTest, NAT1_NobodyListeningIsSaidAtOnce) {
  const NatsServer server;
  const auto client = connect({.urls = {server.url()}});
  const auto answer = client->box().ask_and_wait({.subject = "nobody"}, kLong);
  EXPECT_EQ(answer.error().code(), base::ErrorCode::kNotFound);
}

TEST(LiveLinkTest, NAT3_NAT7_LeavingAGroupLosesNoMessage) {
  const NatsServer server;
  const auto receiver = connect({.urls = {server.url()}});
  const auto sender = connect({.urls = {server.url()}});
  // Whoever sends gets either an answer or "no responders", never silence.
  for (int round = 0; round < 20; ++round) {
    CountingSink sink;
    sink.link = &receiver->link();
    auto subscription = receiver->link().subscribe("s", "g", sink);
    ASSERT_TRUE(subscription);
    ASSERT_TRUE(receiver->link().flush(kLong));
    std::atomic<int> answered{0};
    std::atomic<int> refused{0};
    constexpr int kCount = 200;
    std::thread asks([&] {
      for (int i = 0; i < kCount; ++i) {
        sender->box().ask({.subject = "s"}, kLong, [&](const base::Result<Message>& answer) {
          if (answer) ++answered;
          if (!answer && answer.error().code() == base::ErrorCode::kNotFound) ++refused;
        });
      }
    });
    while (sink.count < round * 10) std::this_thread::yield();
    (*subscription)->leave();
    asks.join();
    wait_for([&] { return (*subscription)->has_ended(); });
    wait_for([&] { return answered + refused == kCount; });
    EXPECT_EQ(answered, sink.count);
  }
}

TEST(LiveLinkTest, ASubscriptionThatIsDestroyedCallsNoMore) {
  const NatsServer server;
  const auto client = connect({.urls = {server.url()}});
  for (int round = 0; round < 50; ++round) {
    auto sink = std::make_unique<CountingSink>();
    auto subscription = client->link().subscribe("s", "", *sink);
    ASSERT_TRUE(subscription);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(client->link().publish({.subject = "s"}));
    subscription->reset();
    sink.reset();  // ASan would notice a call
  }
  ASSERT_TRUE(client->link().flush(kLong));
}

TEST(LiveLinkTest, NAT6_ReconnectsAndSendsNothingLate) {
  NatsServer server;
  const auto client = connect({.urls = {server.url()}});
  Link& link = client->link();
  CountingSink sink;
  const auto subscription = link.subscribe("s", "", sink);
  ASSERT_TRUE(subscription);
  ASSERT_TRUE(link.publish({.subject = "s", .data = "before"}));
  wait_for([&] { return sink.count == 1; });
  server.kill();
  wait_for([&] { return link.state() != LinkState::kConnected; });
  for (int i = 0; i < 100; ++i) {
    const auto sent = link.publish({.subject = "s", .data = "down"});
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code(), base::ErrorCode::kUnavailable);
  }
  server.start();
  wait_for([&] { return link.state() == LinkState::kConnected; });
  ASSERT_TRUE(link.publish({.subject = "s", .data = "after"}));
  wait_for([&] { return sink.count == 2; });
  const base::MutexLock lock(sink.mutex);
  EXPECT_THAT(sink.texts, ::testing::ElementsAre("before", "after"));
}

TEST(LiveLinkTest, NAT6_AServerThatComesLaterIsFound) {
  NatsServer server;
  server.kill();
  LinkObserver observer;
  auto link = open_link({.urls = {server.url()}}, observer);
  ASSERT_TRUE(link);
  CountingSink sink;
  const auto subscription = (*link)->subscribe("s", "", sink);
  ASSERT_TRUE(subscription);
  EXPECT_EQ((*link)->state(), LinkState::kDown);
  server.start();
  wait_for([&] { return (*link)->state() == LinkState::kConnected; });
  ASSERT_TRUE((*link)->publish({.subject = "s"}));
  wait_for([&] { return sink.count == 1; });
}

TEST(LiveLinkTest, ThePayloadIsBoundedByTheServer) {
  const NatsServer server({.config = "max_payload: 2048\n"});
  const auto client = connect({.urls = {server.url()}});
  EXPECT_EQ(client->link().payload_bytes_max(), 2048U);
  const auto sent = client->link().publish({.subject = "s", .data = std::string(4096, 'x')});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code(), base::ErrorCode::kResourceExhausted);
}

TEST(LiveLinkTest, NAT8_TlsAndPasswords) {
  const NatsServer server(
      {.tls = true, .config = "authorization { user: me, password: secret }\n"});
  const auto client = connect({.urls = {server.url()},
                               .user = "me",
                               .password = "secret",
                               .tls_ca_file = server.file("ca.pem")});
  EXPECT_TRUE(client->link().flush(kLong));
  const auto wrong = Client::connect({.urls = {server.url()},
                                      .user = "me",
                                      .password = "geheim",
                                      .tls_ca_file = server.file("ca.pem")});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), HasSubstr("Cannot connect to NATS: "));
  EXPECT_THAT(wrong.error().message(), ::testing::Not(HasSubstr("conn.c")));
  EXPECT_THAT(wrong.error().message(), ::testing::Not(HasSubstr("geheim")));
  // A server whose certificate nobody vouches for is refused.
  EXPECT_FALSE(Client::connect({.urls = {server.url()}, .user = "me", .password = "secret"}));
}

TEST(LiveLinkTest, NAT8_ALinkThatIsGivenUpSaysWhy) {
  struct Listener final : LinkObserver {
    void on_state(LinkState state) override { is_closed = state == LinkState::kClosed; }
    void on_problem(const std::string& problem) override {
      const base::MutexLock lock(mutex);
      problems += problem + "\n";
    }
    base::Mutex mutex;
    std::string problems MR_GUARDED_BY(mutex);
    std::atomic<bool> is_closed{false};
  };
  const NatsServer server({.config = "authorization { user: me, password: secret }\n"});
  Listener listener;
  // The library forgets the reason when it has tried a second time, and it may be quicker than we.
  for (int attempt = 0; attempt < 20; ++attempt) {
    listener.is_closed = false;
    const auto link =
        open_link({.urls = {server.url()}, .user = "me", .password = "geheim"}, listener);
    ASSERT_TRUE(link);
    wait_for([&] { return listener.is_closed.load(); });
    const base::MutexLock lock(listener.mutex);
    if (listener.problems.find("Authorization Violation") != std::string::npos) return;
  }
  const base::MutexLock lock(listener.mutex);
  ADD_FAILURE() << listener.problems;
}

TEST(LiveLinkTest, NAT8_CredentialsFilesAreThoseOfAUserWhomTheOperatorKnows) {
  NatsServer server({.tls = true, .has_operator = true});
  const auto with = [&](const std::string& file) {
    return Client::connect(
        {.urls = {server.url()}, .credentials_file = file, .tls_ca_file = server.file("ca.pem")});
  };
  const auto client = with(server.file("user.creds"));
  ASSERT_TRUE(client) << client.error().to_string();
  CountingSink sink;
  const auto subscription = (*client)->link().subscribe("s", "", sink);
  ASSERT_TRUE((*client)->link().publish({.subject = "s"}));
  wait_for([&] { return sink.count == 1; });
  // The key signs again for the next connection.
  server.kill();
  wait_for([&] { return (*client)->link().state() != LinkState::kConnected; });
  server.start();
  wait_for([&] { return (*client)->link().state() == LinkState::kConnected; });
  ASSERT_TRUE((*client)->link().publish({.subject = "s"}));
  wait_for([&] { return sink.count == 2; });

  for (const std::string& file : {server.file("stranger.creds"),
                                  server.file("nats.conf"),
                                  server.file("none"),
                                  std::string()}) {
    const auto refused = with(file);
    ASSERT_FALSE(refused) << file;
    EXPECT_THAT(refused.error().message(), HasSubstr("NATS")) << file;
  }
}

}  // namespace
}  // namespace millrace::nats
