#include "observe/slow_capture.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/formats/json_reader.h"
#include "trace/chrome_trace_reader.h"
#include "trace/trace_writer.h"

namespace millrace::observe {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::shared_ptr<const trace::RunCapture> capture_of_one_node() {
  auto topology = std::make_shared<trace::TraceTopology>();
  topology->plan = "p";
  topology->nodes.push_back({.id = "src", .op = "source"});
  trace::TraceBuffer buffer(64);
  const trace::TraceContext context(
      trace::TraceId(7), trace::TraceFlag::All, trace::TraceTopologyId(1));
  trace::TraceWriter writer(buffer, context);
  const auto at = [](int us) { return base::TimePoint(std::chrono::microseconds(us)); };
  writer.run_start(at(0));
  writer.node_start_queued(0, at(0), at(10));
  writer.node_end(0, at(50), trace::SpanStatus::Ok);
  writer.run_end(at(60), {.executed_count = 1});
  trace::RunCapture capture{.topology = topology, .nodes = {{}}};
  buffer.drain(capture.records);
  return std::make_shared<const trace::RunCapture>(std::move(capture));
}

class SlowCaptureTest : public ::testing::Test {
 protected:
  SlowCaptureTest()
      : folder(fs::temp_directory_path() / ("slow_capture_" + std::to_string(getpid()))) {
    fs::remove_all(folder);
  }
  ~SlowCaptureTest() override { fs::remove_all(folder); }

  std::unique_ptr<SlowCapture> open(SlowCaptureOptions options = {}) {
    options.folder = folder.string();
    return SlowCapture::open(std::move(options), nullptr, clock).value();
  }
  void offer(SlowCapture& capture, const std::string& name) {
    capture.offer({.name = name, .capture = capture_of_one_node()});
    capture.wait_until_written();
  }
  [[nodiscard]] std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  base::ManualClock clock;
  const fs::path folder;
};

TEST_F(SlowCaptureTest, S43_WritesAFileThatIsATraceNamedByOurId) {
  const auto capture = open();
  offer(*capture, "00ff-12");
  std::ifstream file(folder / "slow-00ff-12.json");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto runs = trace::read_chrome_trace(text);
  ASSERT_TRUE(runs.has_value()) << runs.error().message() << text;
  ASSERT_EQ(runs->size(), 1U);
  EXPECT_EQ(capture->written_count(), 1U);
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(SlowCaptureTest, S43_AtMostOneASecondIsTaken) {
  const auto capture = open();
  for (int request = 0; request < 50; ++request) {
    offer(*capture, "a" + std::to_string(request));
    clock.advance(milliseconds(100));
  }
  EXPECT_EQ(capture->written_count(), 5U);
}

TEST_F(SlowCaptureTest, S43_TheOldestMakeRoomAlsoThoseOfAnEarlierLife) {
  {
    const auto capture = open({.files_max = 3});
    for (int request = 0; request < 5; ++request) {
      offer(*capture, "a" + std::to_string(request));
      clock.advance(seconds(1));
    }
    EXPECT_EQ(file_count(), 3U);
    EXPECT_FALSE(fs::exists(folder / "slow-a1.json"));
    EXPECT_TRUE(fs::exists(folder / "slow-a4.json"));
  }
  std::ofstream(folder / "of-others.json") << "{}";
  const auto next = open({.files_max = 3});
  offer(*next, "b");
  EXPECT_EQ(file_count(), 4U) << "what is not ours stays";
  EXPECT_TRUE(fs::exists(folder / "slow-b.json"));
  EXPECT_TRUE(fs::exists(folder / "of-others.json"));
}

TEST_F(SlowCaptureTest, S43_AllFilesTogetherAreBounded) {
  const auto first = open();
  offer(*first, "a");
  const std::size_t bytes = fs::file_size(folder / "slow-a.json");
  clock.advance(seconds(1));
  const auto capture = open({.bytes_max = bytes * 5 / 2});
  for (int request = 0; request < 4; ++request) {
    offer(*capture, "b" + std::to_string(request));
    clock.advance(seconds(1));
  }
  EXPECT_EQ(file_count(), 2U);
  const auto none = open({.bytes_max = 10});
  offer(*none, "c");
  EXPECT_EQ(none->written_count(), 0U) << "a file that is larger than all may be is not written";
}

TEST_F(SlowCaptureTest, AFolderThatCannotBeUsedIsAnError) {
  std::ofstream(folder) << "a file";
  const auto capture = SlowCapture::open({.folder = folder.string()}, nullptr, clock);
  ASSERT_FALSE(capture.has_value());
  EXPECT_THAT(capture.error().message(), ::testing::HasSubstr(folder.string()));
}

TEST_F(SlowCaptureTest, AFullDiskLosesTheFileAndNothingElse) {
  const auto capture = open();
  fs::remove_all(folder);
  offer(*capture, "a");
  EXPECT_EQ(capture->written_count(), 0U);
  fs::create_directories(folder);
  clock.advance(seconds(1));
  offer(*capture, "b");
  EXPECT_EQ(capture->written_count(), 1U);
}

}  // namespace
}  // namespace millrace::observe
