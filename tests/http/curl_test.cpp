// The server with curl, as people try it out.

#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/check.h"
#include "net/address.h"
#include "net/tls_fixture.h"
#include "socket_server.h"

namespace millrace::http_tests {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What a shell command prints.
std::string run(const std::string& command) {
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");  // NOLINT: only in tests
  MR_CHECK(pipe != nullptr);
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), size);
  }
  ::pclose(pipe);
  return text;
}
std::string text_of(const std::string& file) {
  const std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}
std::string curl(const std::string& arguments) {
  return run("curl -sS --max-time 30 " + arguments);
}

TEST(CurlTest, GetsAndPosts) {
  const SocketServer server;
  EXPECT_EQ(curl(server.url() + "/a?b=c"), "GET /a ");
  EXPECT_EQ(curl("-d hello " + server.url() + "/x"), "POST /x hello");
  EXPECT_EQ(curl("-0 -d hello " + server.url() + "/x"), "POST /x hello");
  EXPECT_EQ(run("printf 'in chunks' | curl -sS -T - -X POST " + server.url() + "/x"),
            "POST /x in chunks");
  const std::string head = curl("-I " + server.url());
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
  EXPECT_THAT(head, HasSubstr("Content-Length: 7\r\n"));
}

TEST(CurlTest, S7_AConnectionServesManyRequests) {
  const SocketServer server;
  const std::string text = curl("-v " + server.url() + "/1 " + server.url() + "/2");
  EXPECT_THAT(text, HasSubstr("Re-using existing connection"));
  EXPECT_THAT(text, HasSubstr("GET /1 "));
  EXPECT_THAT(text, HasSubstr("GET /2 "));
}

TEST(CurlTest, S3_LoopsShareTheConnections) {
  const SocketServer server({.loop_count = 2});
  EXPECT_EQ(curl("-Z --no-progress-meter " + server.url() + "/1 " + server.url() + "/2 " +
                 server.url() + "/3")
                .size(),
            std::string("GET /1 GET /2 GET /3 ").size());
}

TEST(CurlTest, S8_S10_ALargeBodyIsRefusedAndTheClientReadsWhy) {
  const SocketServer server;
  const std::string file = testing::TempDir() + "mr_large_" + std::to_string(getpid());
  std::ofstream(file) << std::string(4'000'000, 'x');
  const std::string waits = curl("-v --data-binary @" + file + " " + server.url());
  EXPECT_THAT(waits, HasSubstr("Expect: 100-continue"));
  EXPECT_THAT(waits, HasSubstr("413 Content Too Large"));
  // What follows the answer is short enough to be dropped whole: a client that is still sending
  // when the server stops reading may see a reset instead of the answer.
  std::ofstream(file) << std::string(200'000, 'x');
  const std::string steps = file + ".steps";
  const std::string sends =
      curl("-i -H Expect: -H 'Transfer-Encoding: chunked' --trace-time -v --stderr " + steps +
           " --data-binary @" + file + " " + server.url());
  EXPECT_THAT(sends, StartsWith("HTTP/1.1 413 Content Too Large"))
      << "curl:\n"
      << text_of(steps) << "server: " << server.report();
  std::remove(file.c_str());
  std::remove(steps.c_str());
}

TEST(CurlTest, S9_GzipBothWays) {
  const SocketServer server({.body_bytes_max = 100'000});
  const std::string large(5000, 'y');
  EXPECT_EQ(run("printf '" + large +
                "' | gzip | curl -sS --compressed -H 'Content-Encoding: gzip' "
                "--data-binary @- " +
                server.url() + "/z"),
            "POST /z " + large);
  const std::string head =
      curl("-D - -o /dev/null -H 'Accept-Encoding: gzip' -d " + large + " " + server.url());
  EXPECT_THAT(head, HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_THAT(head, HasSubstr("Vary: Accept-Encoding\r\n"));
}

TEST(CurlTest, S5_Tls) {
  const net::TestCertificates& files = net::TestCertificates::get();
  net::TlsOptions tls = files.server();
  tls.protocol = "http/1.1";
  const SocketServer server({.listener = {.tls = tls}});
  const std::string text =
      curl("-v --cacert " + files.file("ca.pem") + " -d hello " + server.url("https") + "/x");
  EXPECT_THAT(text, HasSubstr("POST /x hello"));
  EXPECT_THAT(text, HasSubstr("ALPN: server accepted http/1.1"));
  EXPECT_THAT(curl(server.url("http")), HasSubstr("Empty reply from server"));
}

TEST(CurlTest, S5_UnixSockets) {
  const std::string path = testing::TempDir() + "mr_http_" + std::to_string(getpid()) + ".sock";
  const SocketServer server({.address = {.unix_path = path}});
  EXPECT_EQ(curl("--unix-socket " + path + " http://any/x"), "GET /x ");
}

}  // namespace
}  // namespace millrace::http_tests
