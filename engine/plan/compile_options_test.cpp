#include "plan/compile_options.h"

#include <gtest/gtest.h>

namespace millrace::plan {
namespace {

TEST(CompileOptionsTest, CMP4_PassesAreNamedOneByOne) {
  EXPECT_TRUE(parse_passes("on")->prune_columns);
  EXPECT_FALSE(parse_passes("off")->prune_columns);
  const CompileOptions some = parse_passes("columns,top_k").value();
  EXPECT_TRUE(some.prune_columns);
  EXPECT_TRUE(some.use_top_k);
  EXPECT_FALSE(some.remove_dead_nodes);
  EXPECT_FALSE(some.merge_fetches);
  EXPECT_FALSE(some.merge_filters);
}

TEST(CompileOptionsTest, AnUnknownNameIsRefused) {
  for (const char* bad : {"", "colums", "columns,", ",columns", "columns top_k", "off,columns"}) {
    EXPECT_FALSE(parse_passes(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace millrace::plan
