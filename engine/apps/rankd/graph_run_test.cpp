#include "apps/rankd/graph_run.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/flags.h"
#include "host/settings.h"

namespace millrace::rankd {
namespace {

using ::testing::HasSubstr;

TEST(GraphRunTest, G70_LoadingGivesRequestsTheTables) {
  host::Settings settings;
  const auto none = load_graph("", settings);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->get(), nullptr);
  EXPECT_EQ(settings.pins, nullptr);
  const auto graph = load_graph(
      std::string(MILLRACE_SOURCE_DIR) + "/examples/graphs/trending/trending.yaml", settings);
  ASSERT_TRUE(graph) << graph.error().text;
  EXPECT_EQ(settings.pins, &(*graph)->tables());
  EXPECT_EQ((*graph)->name(), "trending");
  EXPECT_FALSE(load_graph("/no/such.yaml", settings));
}

TEST(GraphRunTest, G70_OnlyCommandsThatRunPlansTakeAGraph) {
  const auto read = [](std::vector<const char*> words) {
    words.insert(words.begin(), "rankd");
    return read_flags(static_cast<int>(words.size()), words.data());
  };
  EXPECT_EQ(read({"--graph", "g.yaml"})->graph_file, "g.yaml");
  EXPECT_EQ(read({"serve", "--graph", "g.yaml"})->graph_file, "g.yaml");
  const auto refused = read({"check", "--graph", "g.yaml"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().exit_code, 2);
  EXPECT_THAT(refused.error().text, HasSubstr("only run, bench, serve and doctor"));
}

}  // namespace
}  // namespace millrace::rankd
