#include "stores/redis/protocol/command_writer.h"

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

TEST(CommandWriterTest, AWordBetweenTwoTextsIsTheSameAsThree) {
  std::string whole;
  std::string parts;
  CommandWriter one(whole);
  CommandWriter three(parts);
  for (const std::size_t size : {0U, 1U, 9U, 10U, 100U, 12345U}) {
    const std::string text(size, 'x');
    one.word_between("head", text, "tail");
    three.raw("head");
    three.word(text);
    three.raw("tail");
  }
  EXPECT_EQ(whole, parts);
}

}  // namespace
}  // namespace millrace::stores::testing
