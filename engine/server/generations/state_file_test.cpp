#include "server/generations/state_file.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host_fixture.h"

namespace millrace::server {
namespace {

using ::testing::HasSubstr;

TEST(StateFileTest, S28_WhatIsWrittenIsReadAgain) {
  const host::testing::TempFolder folder;
  const std::string path = folder.path() + "/state.json";
  EXPECT_TRUE(read_state_file(path)->empty());
  const SavedPlans plans{{"home", {.artifact = "{\"a\": \"\\u00e4\n\"}", .is_pinned = true}},
                         {"shop", {.artifact = "{}", .held = {"sha256:1", "sha256:2"}}}};
  ASSERT_TRUE(write_state_file(path, plans));
  EXPECT_EQ(read_state_file(path).value(), plans);
  ASSERT_TRUE(write_state_file(path, {}));
  EXPECT_TRUE(read_state_file(path)->empty());
}

TEST(StateFileTest, AFileThatCannotBeUsedIsAnErrorThatSaysWhatToDo) {
  const host::testing::TempFolder folder;
  for (const char* text : {"{",
                           "{}",
                           R"({"format":"rankd-plan-state-1"})",
                           R"({"format":"rankd-plan-state-1","plans":{"a":{"pinned":true}}})"}) {
    const auto read = read_state_file(folder.write("state.json", text));
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message(), HasSubstr("mend or delete it"));
  }
}

TEST(StateFileTest, AFailedWriteLeavesTheOldFile) {
  const host::testing::TempFolder folder;
  EXPECT_FALSE(write_state_file(folder.path() + "/missing/state.json", {}));
  const std::string path = folder.write("state.json", "old");
  // The place of the temporary file is taken by a folder.
  std::filesystem::create_directory(path + ".tmp");
  const auto failed = replace_file(path, "new");
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), HasSubstr("Cannot write"));
  EXPECT_EQ(host::read_text_file(path).value(), "old");
}

}  // namespace
}  // namespace millrace::server
