#include <gtest/gtest.h>

#include "net/fake_peer.h"
#include "net/http/http_server_fixture.h"

namespace millrace::net {
namespace {

TEST(HttpServerReplyTest, StreamsInChunks) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, get("/later"));
  TestCall& call = rig.handler.last();
  call.exchange->reply_fields().add("Content-Type", "application/x-ndjson");
  call.exchange->begin(200);
  EXPECT_EQ(rig.take(client),
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
            "Transfer-Encoding: chunked\r\n\r\n");
  call.exchange->write("0123456789abcdef");
  call.exchange->write("");
  EXPECT_EQ(rig.take(client), "10\r\n0123456789abcdef\r\n");
  call.take().finish();
  EXPECT_EQ(rig.take(client), "0\r\n\r\n");
  EXPECT_EQ(rig.ask(client, get("/")), ok("GET / "));
}

TEST(HttpServerReplyTest, StreamsToOldClientsUntilTheEnd) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, "GET /later HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  TestCall& call = rig.handler.last();
  call.exchange->begin(200);
  call.exchange->write("text");
  call.take().finish();
  EXPECT_EQ(rig.take(client), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ntext");
  EXPECT_TRUE(client.saw_end());
}

TEST(HttpServerReplyTest, AnAbortedReplyIsSeenToBeIncomplete) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, get("/later"));
  rig.handler.last().exchange->begin(200);
  rig.handler.last().take().abort();
  rig.loop.run_ready();
  EXPECT_FALSE(client.is_open());
  EXPECT_EQ(rig.handler.last().gone_status, 0);
}

TEST(HttpServerReplyTest, HeadAndEmptyStatusesHaveNoBody) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  EXPECT_EQ(rig.ask(client, "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n");
  rig.send(client, get("/later"));
  rig.handler.last().reply(204, "");
  EXPECT_EQ(rig.take(client), "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST(HttpServerReplyTest, FieldsThatWouldBreakTheHeadAreLeftOut) {
  HttpServerRig rig;
  FakePeer& client = rig.connect();
  rig.send(client, get("/later"));
  HttpFields& fields = rig.handler.last().exchange->reply_fields();
  fields.add("X-A", "a\r\nX-B: b");
  fields.add("X B", "b");
  fields.add("Content-Length", "3");
  fields.add("X-C", "c");
  rig.handler.last().reply(200, "");
  EXPECT_EQ(rig.take(client), "HTTP/1.1 200 OK\r\nX-C: c\r\nContent-Length: 0\r\n\r\n");
}

}  // namespace
}  // namespace millrace::net
