#include "apps/rankd/top/top.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "apps/rankd/one_answer_fixture.h"

namespace millrace::rankd::testing {
namespace {

std::string page_of(const std::string& status, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

std::string stats_of(int received) {
  return page_of("200 OK",
                 R"({"lane":"plans","metrics":[{"name":"rankd_requests_received_total","value":)" +
                     std::to_string(received) + "}]}");
}

/// What a call prints, and its exit code.
std::pair<int, std::string> top_of(const std::string& address, Format format) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  Flags flags;
  flags.top_address = address;
  flags.top_once = true;
  flags.top_interval = 0.1;
  flags.format = format;
  int code = 0;
  {
    Output out(ends[1], "stdout");
    code = run_top(flags, out);
  }
  close(ends[1]);
  std::string text;
  char bytes[4096];
  for (ssize_t count = 0; (count = read(ends[0], bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<std::size_t>(count));
  close(ends[0]);
  return {code, text};
}

TEST(TopTest, S44_LooksTwiceAndPrintsOnce) {
  const OneAnswer server(std::vector<std::string>{stats_of(10), stats_of(20)});
  const auto [code, text] = top_of(server.address(), Format::kJson);
  EXPECT_EQ(code, 0);
  EXPECT_THAT(text, ::testing::StartsWith(R"({"requests_per_second":)"));
  EXPECT_THAT(text, ::testing::Not(::testing::StartsWith(R"({"requests_per_second":0,)")));
}

TEST(TopTest, S44_SaysWhatIsWrong) {
  EXPECT_EQ(top_of("127.0.0.1:1", Format::kText).first, 1);
  for (const std::string& answer : {page_of("404 Not Found", "{}"),
                                    page_of("401 Unauthorized", "{}"),
                                    page_of("500 Internal Server Error", ""),
                                    page_of("200 OK", "<html>"),
                                    std::string("garbage")}) {
    const OneAnswer server(answer);
    EXPECT_EQ(top_of(server.address(), Format::kText).first, 1) << answer;
  }
}

}  // namespace
}  // namespace millrace::rankd::testing
