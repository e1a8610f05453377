#include "graph/record/record_line.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::graph {
namespace {

using ::testing::HasSubstr;

std::string write_lines(const std::string& name) {
  const std::string path = testing::TempDir() + name;
  RecordWriter writer;
  EXPECT_TRUE(writer.open(path));
  writer.add(R"({"a":1})");
  writer.add(R"({"b":2})");
  writer.close();
  EXPECT_FALSE(writer.problem());
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

/// Gives why the lines cannot be read, or how many there are.
std::string read_lines(const std::string& text) {
  std::istringstream stream(text);
  RecordReader reader(stream);
  for (int count = 0;; ++count) {
    const auto line = reader.next();
    if (!line) return line.error().message() + " at " + line.error().where();
    if (!*line) return std::to_string(count);
  }
}

TEST(RecordLine, WhatWasWrittenIsRead) { EXPECT_EQ(read_lines(write_lines("lines")), "2"); }

TEST(RecordLine, AnyChangedByteIsFound) {
  const std::string good = write_lines("flips");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int bit : {0x01, 0x20, 0x80}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ bit);
      EXPECT_THAT(read_lines(bad), HasSubstr("line ")) << "byte " << i << " bit " << bit;
    }
  }
}

TEST(RecordLine, LinesThatAreMissingOrMovedAreFound) {
  const std::string good = write_lines("moves");
  const std::size_t middle = good.find('\n') + 1;
  EXPECT_THAT(read_lines(good.substr(middle)), HasSubstr("line 1, byte 0"));
  EXPECT_THAT(read_lines(good.substr(middle) + good.substr(0, middle)), HasSubstr("line 1"));
  EXPECT_THAT(read_lines(good.substr(0, middle) + good), HasSubstr("line 2"));
  EXPECT_THAT(read_lines(good.substr(0, good.size() - 1)), HasSubstr("in the middle of a line"));
  EXPECT_THAT(read_lines("\n"), HasSubstr("no checksum"));
}

TEST(RecordLine, G69_AFileThatCannotBeWrittenIsSaid) {
  RecordWriter writer;
  EXPECT_FALSE(writer.open("/nowhere/at/all"));
  RecordWriter full;
  ASSERT_TRUE(full.open("/dev/full"));
  full.add(R"({"a":1})");
  full.close();
  ASSERT_TRUE(full.problem());
  EXPECT_THAT(*full.problem(), HasSubstr("/dev/full: No space left on device"));
}

}  // namespace
}  // namespace millrace::graph
