#include "stores/redis/command_writer.h"

#include <string>

#include <gtest/gtest.h>

namespace millrace::stores::testing {
namespace {

TEST(CommandWriterTest, AppendsCommandsToOneBuffer) {
  std::string out;
  CommandWriter writer(out);
  writer.command({"GET", "k"});
  writer.begin(2);
  writer.word(std::string_view("a\r\nb", 4));
  writer.word(INT64_MIN);
  EXPECT_EQ(out,
            "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"
            "*2\r\n$4\r\na\r\nb\r\n$20\r\n-9223372036854775808\r\n");
}

}  // namespace
}  // namespace millrace::stores::testing
