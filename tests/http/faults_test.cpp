// The n-th accept, read or write fails: every request ends exactly once, nothing is left behind,
// and other clients notice nothing.

#include <chrono>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "net/fake_peer.h"
#include "net/http/http_server_fixture.h"

namespace millrace::http_tests {
namespace {

using net::FakePeer;
using net::HttpServerRig;

/// Requests of every kind.
std::string mixed_requests() {
  return net::get("/1") + net::post("/2", "two") + net::post("/early", "late") +
         "POST /pieces HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
         "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n" +
         net::get("/later") + net::get("/6", "Connection: close\r\n");
}

/// Answers requests for /pieces piece by piece, and those for /later when the loop is idle.
void serve(HttpServerRig& rig) {
  rig.handler.when_request = [](net::TestCall& call) {
    if (call.path != "/pieces") return;
    call.exchange->begin(200);
    call.when_piece = [](net::TestCall& told) { told.exchange->write("piece"); };
    call.when_body_end = [](net::TestCall& told) { told.take().finish(); };
  };
}
void answer_later(HttpServerRig& rig) {
  rig.loop.run_ready();
  for (const auto& call : rig.handler.calls) {
    if (call->exchange != nullptr && call->path == "/later") call->reply(200, "late");
  }
  rig.loop.run_ready();
}

/// After all timeouts nothing may be left.
void expect_clean(HttpServerRig& rig) {
  answer_later(rig);
  FakePeer& other = rig.connect();
  EXPECT_EQ(rig.ask(other, net::get("/other")), net::ok("GET /other "));
  other.half_close();
  rig.loop.advance(std::chrono::seconds(100));
  EXPECT_EQ(rig.server.connection_count(), 0U);
  for (const auto& call : rig.handler.calls) {
    EXPECT_EQ(call->exchange, nullptr) << call->path << " has not ended";
  }
}

TEST(FaultsTest, S52_ReadsFailAfterAnyNumberOfBytes) {
  const std::string bytes = mixed_requests();
  for (const bool resets : {true, false}) {
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      SCOPED_TRACE((resets ? "reset after " : "end after ") + std::to_string(size));
      HttpServerRig rig;
      serve(rig);
      FakePeer& client = rig.connect();
      rig.send(client, bytes.substr(0, size));
      if (size % 3 == 0) answer_later(rig);
      resets ? client.reset() : client.half_close();
      rig.loop.run_ready();
      expect_clean(rig);
    }
  }
}

TEST(FaultsTest, S52_WritesStopAfterAnyReplyAndTheClientIsGivenUp) {
  const std::string bytes = mixed_requests();
  for (std::size_t size = 0; size <= bytes.size(); size += 5) {
    SCOPED_TRACE("stalled after " + std::to_string(size));
    HttpServerRig rig;
    serve(rig);
    FakePeer& client = rig.connect();
    rig.send(client, bytes.substr(0, size));
    client.stall_writes(true);
    rig.send(client, bytes.substr(size));
    answer_later(rig);
    rig.loop.advance(std::chrono::seconds(30));
    expect_clean(rig);
  }
}

TEST(FaultsTest, S52_WritesFailWhenTheClientGoesAwayWithBytesUnsent) {
  HttpServerRig rig;
  serve(rig);
  FakePeer& client = rig.connect();
  client.stall_writes(true);
  rig.send(client, mixed_requests());
  answer_later(rig);
  client.reset();
  rig.loop.run_ready();
  expect_clean(rig);
}

TEST(FaultsTest, S52_AcceptsFailAnyNumberOfTimes) {
  for (int failing = 0; failing < 5; ++failing) {
    HttpServerRig rig;
    for (int i = 0; i < 5; ++i) {
      if (i == failing) {
        rig.listener.fail_accept(base::Error(base::ErrorCode::kResourceExhausted, "none left"));
        FakePeer& waiting = rig.connect();
        EXPECT_EQ(rig.ask(waiting, net::get("/")), "");
        rig.listener.resume();
        rig.loop.run_ready();
        EXPECT_EQ(rig.take(waiting), net::ok("GET / "));
      } else {
        FakePeer& client = rig.connect();
        EXPECT_EQ(rig.ask(client, net::get("/")), net::ok("GET / "));
      }
    }
    EXPECT_EQ(rig.server.connection_count(), 5U);
  }
}

}  // namespace
}  // namespace millrace::http_tests
