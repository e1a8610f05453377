#include "graph/format/graph_file.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "graph/format/diagnostic.h"
#include "graph/format/limits.h"
#include "graph/graph_fixture.h"

namespace millrace::graph {
namespace {

using ::testing::HasSubstr;

constexpr const char* kJson =
    R"({"schema_version": 1, "graph": {"name": "j", "kind": "internal_test"}, "lanes": {"m": {"type": "event_loop"}},
        "components": [], "edges": []})";

TEST(GraphFileTest, ReadsJsonAndYaml) {
  EXPECT_EQ(format_of("a/b.json"), TextFormat::kJson);
  EXPECT_EQ(format_of("a/b.yaml"), TextFormat::kYaml);
  for (const TextFormat format : {TextFormat::kJson, TextFormat::kYaml}) {
    GraphFile file(kJson, format, GraphLimits());
    const GraphFile moved = std::move(file);
    ASSERT_TRUE(moved.has_spec());
    EXPECT_EQ(moved.spec().name, "j");
    EXPECT_EQ(moved.spec().lanes.at(0).source->find_member("type")->find_string(), "event_loop");
  }
}

TEST(GraphFileTest, EveryLimitCanBeLoweredAndIsNamed) {
  const auto message_with = [](const GraphLimits& limits, const std::string& text) {
    const GraphFile file(text, TextFormat::kYaml, limits);
    EXPECT_EQ(file.report().error_count(), 1U) << file.report().to_text("");
    if (file.report().error_count() == 0) return std::string();
    EXPECT_EQ(file.report().problems()[0].code, DiagnosticCode::kTooLarge);
    return file.report().problems()[0].message;
  };
  GraphText graph{.lanes = {"a: {type: event_loop}", "bcd: {type: event_loop}"}};
  graph.source("x", "lane: a").step("y", "lane: a").edge("x", "y").edge("x", "y");
  graph.loops = {"{id: l, components: [x], loop_policy: {type: fixed_point}}",
                 "{id: m, components: [y], loop_policy: {type: fixed_point}}"};
  const std::string text = graph.text();
  EXPECT_THAT(message_with({.text_bytes_max = 9}, text), HasSubstr("9 bytes (--max-text-bytes)"));
  EXPECT_THAT(message_with({.lanes_max = 1}, text), HasSubstr("2 lanes, at most 1 (--max-lanes)"));
  EXPECT_THAT(message_with({.components_max = 1}, text), HasSubstr("--max-components"));
  EXPECT_THAT(message_with({.edges_max = 1}, text), HasSubstr("--max-edges"));
  EXPECT_THAT(message_with({.loops_max = 1}, text), HasSubstr("--max-loops"));
}

TEST(GraphFileTest, HostileTextsEndWithAClearError) {
  const auto first_code = [](const std::string& text) {
    const GraphFile file(text, TextFormat::kYaml, GraphLimits());
    return list_diagnostics(file.report()).at(0);
  };
  EXPECT_EQ(first_code("a: " + std::string(100'000, '[')), "too_large  1:67");
  EXPECT_EQ(first_code("a: " + std::string(2'000'000, 'x')), "too_large  1:1");
  EXPECT_EQ(first_code(std::string("a: \0", 4)), "bad_syntax  1:4");
  EXPECT_EQ(first_code("a: \xFF"), "bad_encoding  1:4");
}

TEST(GraphFileTest, CountsMistakesBeyondWhatItKeeps) {
  std::string text = "{";
  for (int i = 0; i < 20'000; ++i) text += "k" + std::to_string(i) + ": 1, ";
  const GraphFile file(text + "}", TextFormat::kYaml, GraphLimits());
  EXPECT_EQ(file.report().error_count(), 20'005U);
}

TEST(GraphFileTest, ALargeLimitTakesNoMemoryForASmallFile) {
  const std::string path = testing::TempDir() + "graph_file_test." + std::to_string(getpid());
  const std::string text(200'000, 'x');
  std::ofstream(path) << text;
  EXPECT_EQ(read_text_file(path, std::size_t{1} << 50U).value(), text);
  EXPECT_EQ(read_text_file(path, 200'000).value(), text);
  EXPECT_EQ(read_text_file(path, 70'000).value().size(), 70'001U) << "a byte more tells that it is";
  std::filesystem::remove(path);
  EXPECT_FALSE(read_text_file(testing::TempDir(), 10)) << "a folder";
}

TEST(GraphFileTest, AMissingFileIsAnError) {
  const auto text = read_text_file("no/such/file.yaml", 10);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().where(), "no/such/file.yaml");
}

}  // namespace
}  // namespace millrace::graph
