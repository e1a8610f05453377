#include "random_graph.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "case_run.h"
#include "graph/format/graph_file.h"
#include "reference_run.h"
#include "shrink.h"

namespace millrace::graph_reference {
namespace {

TEST(RandomGraph, MostSeedsAreValidAndDoSomething) {
  constexpr std::uint64_t kSeeds = 300;
  std::uint64_t valid = 0;
  std::uint64_t printing = 0;
  std::string why;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const GraphModel model = make_random_graph(seed);
    const std::string yaml = model.yaml();
    if (!is_valid(yaml, why)) continue;
    ++valid;
    const graph::GraphFile file(yaml, graph::TextFormat::kYaml, {});
    if (!run_reference(file.spec(), model.options).lines.empty()) ++printing;
  }
  EXPECT_GE(valid, kSeeds * 8 / 10) << why;
  EXPECT_GE(printing, valid * 6 / 10);
}

TEST(RandomGraph, EqualSeedsGiveEqualTexts) {
  EXPECT_EQ(make_random_graph(5).yaml(), make_random_graph(5).yaml());
  EXPECT_NE(make_random_graph(5).yaml(), make_random_graph(6).yaml());
}

TEST(RandomGraph, ShrinkingKeepsOnlyWhatMatters) {
  const auto has_pool = [](const GraphModel& model) {
    return model.yaml().find("type: thread_pool") != std::string::npos;
  };
  GraphModel model;
  for (std::uint64_t seed = 1; !has_pool(model); ++seed) model = make_random_graph(seed);
  const GraphModel small = shrink(model, has_pool);
  EXPECT_TRUE(has_pool(small));
  EXPECT_TRUE(small.components.empty());
  EXPECT_TRUE(small.edges.empty());
}

}  // namespace
}  // namespace millrace::graph_reference
