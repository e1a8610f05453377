#include "apps/rankd/probe.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/one_answer_fixture.h"
#include "net/address.h"
#include "net/listening_socket.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

TEST(ProbeTest, S48_GivesTheStatus) {
  {
    const OneAnswer ready("HTTP/1.1 200 OK\r\n\r\n");
    EXPECT_EQ(run_probe(ready.address()), 0);
  }
  {
    const OneAnswer busy("HTTP/1.1 503 Service Unavailable\r\n\r\n");
    EXPECT_EQ(run_probe(busy.address()), 1);
  }
  const OneAnswer other("SSH-2.0\r\n");
  EXPECT_THAT(ask_status(other.address(), "/", 9s).error().message(), HasSubstr("HTTP/1.1"));
}

TEST(ProbeTest, S48_SaysWhyThereIsNoAnswer) {
  EXPECT_THAT(ask_status("127.0.0.1:1", "/", 9s).error().message(), HasSubstr("refused"));
  EXPECT_FALSE(ask_status("nonsense", "/", 9s));
  EXPECT_FALSE(ask_status("unix:/no/such/socket", "/", 9s));
  // Listens, and never accepts.
  const auto silent = net::ListeningSocket::open(*net::parse_listen_address("127.0.0.1:0"));
  EXPECT_THAT(ask_status(net::to_string(silent->address()), "/", 1ms).error().message(),
              HasSubstr("No answer in time"));
}

}  // namespace
}  // namespace millrace::rankd::testing
