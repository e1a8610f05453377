#include "stores/embedded_driver.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "loop/event_loop.h"

namespace millrace::stores {
namespace {

using ::testing::HasSubstr;

class EmbeddedDriverTest : public ::testing::Test {
 protected:
  EmbeddedDriverTest() {
    std::string name = (std::filesystem::temp_directory_path() / "millrace-XXXXXX").string();
    MR_CHECK(mkdtemp(name.data()) != nullptr);
    root_ = name;
    std::ofstream(root_ + "/a.redis") << "SET quality:7 0.75\n";
    loop_ = *loop::EventLoop::create("test");
  }
  ~EmbeddedDriverTest() override {
    loop_->stop();
    std::filesystem::remove_all(root_);
  }

  base::Result<tasks::ConnectedClient> connect(const std::string& file) {
    const plan::EndpointInfo endpoint{.kind = plan::EndpointKind::kEmbedded, .data_file = file};
    return driver_.connect({.endpoint = endpoint, .root = root_}, {.loop = *loop_});
  }

  std::string root_;
  std::unique_ptr<loop::EventLoop> loop_;
  EmbeddedDriver driver_;
};

TEST_F(EmbeddedDriverTest, LoopsShareWhatWasReadWhileOneUsesIt) {
  auto first = connect("a.redis");
  ASSERT_TRUE(first) << first.error().to_string();
  std::filesystem::remove(root_ + "/a.redis");
  EXPECT_TRUE(connect("a.redis")) << "the second loop reads the file again";
  first->client.reset();
  EXPECT_FALSE(connect("a.redis")) << "data that nobody uses is still kept";
}

TEST_F(EmbeddedDriverTest, AFileThatIsNotThereIsNamed) {
  const auto missing = connect("no_such_file.redis");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().to_string(), HasSubstr("no_such_file.redis"));
}

}  // namespace
}  // namespace millrace::stores
