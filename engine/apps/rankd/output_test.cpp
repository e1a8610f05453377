#include "apps/rankd/output.h"

#include <array>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "apps/rankd/descriptor_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;

TEST(OutputTest, CLI9_AFailedWriteIsRememberedWithItsReason) {
  const OpenFile full("/dev/full", O_WRONLY);
  Output out(full.descriptor(), "stdout");
  EXPECT_TRUE(out.write(""));
  EXPECT_FALSE(out.write("text"));
  EXPECT_FALSE(out.write("more"));
  ASSERT_FALSE(out.status());
  EXPECT_THAT(out.status().error().message(),
              HasSubstr("Cannot write to stdout: No space left on device"));
}

TEST(OutputTest, WaitsForASlowReaderOfAPipeThatDoesNotBlock) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  const std::string text(1'000'000, 'x');
  std::size_t read_count = 0;
  std::thread reader([&] {
    std::array<char, 4096> buffer{};
    while (read_count < text.size()) {
      const ssize_t count = ::read(ends[0], buffer.data(), buffer.size());
      if (count > 0) read_count += static_cast<std::size_t>(count);
    }
  });
  Output out(ends[1], "stdout");
  EXPECT_TRUE(out.write(text));
  reader.join();
  EXPECT_EQ(read_count, text.size());
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace millrace::rankd::testing
