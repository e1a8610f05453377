#include "host/trace_dump.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log/log.h"
#include "base/log/log_sink.h"
#include "host/host_fixture.h"
#include "host/project.h"
#include "trace/trace_sink.h"

namespace millrace::host::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kBytesMax = 1'000'000;

class TraceDumpTest : public ::testing::Test {
 protected:
  base::MemoryLogSink sink_;
  base::Logger log_{sink_};
  TempFolder folder_;
};

TEST_F(TraceDumpTest, WritesAFileAndNothingIntoTheLog) {
  const std::string path = folder_.path() + "/trace.json";
  auto dump = TraceDump::open(path, kBytesMax, &log_);
  ASSERT_TRUE(dump);
  (*dump)->name_track(1, "worker 1");
  EXPECT_TRUE((*dump)->close());
  EXPECT_THAT(*read_text_file(path), HasSubstr("traceEvents"));
  EXPECT_THAT(sink_.lines(), IsEmpty());
}

TEST_F(TraceDumpTest, AFileThatCannotBeOpenedIsNamed) {
  const auto dump = TraceDump::open(folder_.path() + "/no/such/folder", kBytesMax, nullptr);
  ASSERT_FALSE(dump);
  EXPECT_THAT(dump.error().text, HasSubstr("no/such/folder': No such file or directory"));
}

TEST_F(TraceDumpTest, AFullDiskIsReportedOnceAndAtTheEnd) {
  auto dump = TraceDump::open("/dev/full", kBytesMax, &log_);
  ASSERT_TRUE(dump);
  // Enough to fill the stream's own buffer several times.
  (*dump)->name_track(1, std::string(std::size_t{1} << 16U, 'x'));
  for (int run = 0; run < 3; ++run) (*dump)->consume({});
  EXPECT_THAT(
      sink_.lines(),
      ElementsAre(HasSubstr(
          R"("level":"error","msg":"The trace file cannot be written )"
          R"(any more: later runs are missing in it",)"
          R"("event":"trace_write_failed","file":"/dev/full","reason":"No space left on device"})")));
  const auto closed = (*dump)->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().text, "Cannot write '/dev/full': No space left on device");
}

TEST_F(TraceDumpTest, CLI12_AFullFileIsCompleteAndReportedOnce) {
  const std::string path = folder_.path() + "/trace.json";
  auto dump = TraceDump::open(path, 1000, &log_);
  ASSERT_TRUE(dump);
  const trace::RunTrace run;
  for (int i = 0; i < 1000; ++i) {
    (*dump)->name_track(1, "worker 1");
    (*dump)->consume(run);
  }
  EXPECT_TRUE((*dump)->close());
  EXPECT_THAT(sink_.lines(), ElementsAre(HasSubstr(R"("event":"trace_full")")));
  EXPECT_THAT(*read_text_file(path), HasSubstr("\n],\"otherData\":{"));
}

TEST_F(TraceDumpTest, DroppedRecordsAreReported) {
  auto dump = TraceDump::open(folder_.path() + "/trace.json", kBytesMax, &log_);
  ASSERT_TRUE(dump);
  (*dump)->note_dropped(7);
  EXPECT_THAT(sink_.lines(),
              ElementsAre(HasSubstr(R"("event":"trace_dropped","file":")" + folder_.path() +
                                    R"(/trace.json","dropped_total":7})")));
}

}  // namespace
}  // namespace millrace::host::testing
