#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

TEST(StoreTasksTest, TSK7_AllAreAsyncAndMayFail) {
  const StoreRig rig("");
  for (const char* op : {"viewer",
                         "follow",
                         "recommendation",
                         "media",
                         "list",
                         "sorted_set",
                         "set_members",
                         "hydrate",
                         "lookup",
                         "http_fetch"}) {
    const plan::TaskSpec* spec = rig.registry.find_task(op);
    ASSERT_NE(spec, nullptr) << op;
    EXPECT_EQ(spec->kind, plan::TaskKind::kAsync) << op;
    EXPECT_TRUE(spec->can_fail) << op;
  }
}

}  // namespace
}  // namespace millrace::stores::testing
