#include "stores/redis/protocol/redis_error.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace millrace::stores::testing {
namespace {

using base::ErrorCode;

TEST(RedisErrorTest, RED6_EachErrorHasItsMeaningAndNamesTheKey) {
  const auto code = [](std::string_view reply) { return error_of_reply(reply, "k").code(); };
  EXPECT_EQ(code("WRONGTYPE Operation against a key"), ErrorCode::kNodeFailed);
  EXPECT_EQ(code("ERR syntax"), ErrorCode::kNodeFailed);
  for (const char* const reply : {"LOADING Redis is loading the dataset in memory",
                                  "READONLY You can't write",
                                  "MASTERDOWN Link with MASTER is down",
                                  "BUSY Redis is busy",
                                  "TRYAGAIN Multiple keys",
                                  "CLUSTERDOWN Hash slot not served",
                                  "MOVED 1 h:1",
                                  "ASK 1 h:1",
                                  "NOAUTH Authentication required.",
                                  "WRONGPASS invalid",
                                  "NOPERM this user"}) {
    EXPECT_EQ(code(reply), ErrorCode::kUnavailable) << reply;
  }
  EXPECT_EQ(code("OOM command not allowed"), ErrorCode::kResourceExhausted);
  EXPECT_EQ(code("ERR max number of clients reached"), ErrorCode::kResourceExhausted);
  const base::Error error = error_of_reply("OOM command not allowed", "user:1");
  EXPECT_EQ(error.message(), "The store is out of memory: OOM command not allowed: user:1");
  EXPECT_EQ(error.where(), "user:1");
}

}  // namespace
}  // namespace millrace::stores::testing
