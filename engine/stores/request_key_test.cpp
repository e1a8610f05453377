#include "stores/request_key.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using tasks::testing::ids_of;
using tasks::testing::text;
using tasks::testing::to_table;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Runs a task without inputs; the request has `device` and `page`.
struct SourceRig : StoreRig {
  explicit SourceRig(std::string_view data) : StoreRig(data) {
    plan.request_fields = {{.name = "page"}, {.name = "device"}};
    load.plan = &plan;
    request.user_id = 7;
    request.fields = fields;
  }
  base::Result<rows::RowSet> read(const char* op, const char* pattern) {
    return run({.op = op, .params = {{"endpoint", endpoint()}, {"pattern", text(pattern)}}});
  }

  plan::CompiledPlan plan;
  std::vector<rows::Value> fields{rows::Value(), std::string_view("tv")};
};

TEST(RequestKeyTest, TSK4_ANodeWithoutInputsReadsOneKeyOfTheRequest) {
  SourceRig rig("RPUSH trending 5 6\nRPUSH seen:7:tv 8\n");
  const auto rows = rig.read("list", "trending");
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(5, 6));
  EXPECT_THAT(to_table(rows.value()).names, ElementsAre("id"));
  EXPECT_THAT(ids_of(rig.read("list", "seen:{user_id}:{device}").value()), ElementsAre(8));
  EXPECT_THAT(ids_of(rig.read("list", "none").value()), ElementsAre());
}

TEST(RequestKeyTest, TSK7_SortedSetsAndSetsCanBeSourcesToo) {
  SourceRig rig("ZADD z 2 5 1 6\nSADD blocked:7 4 3\n");
  EXPECT_THAT(ids_of(rig.read("sorted_set", "z").value()), ElementsAre(6, 5));
  const auto members = rig.read("set_members", "blocked:{user_id}");
  EXPECT_THAT(ids_of(members.value()), ElementsAre(3, 4));
  EXPECT_THAT(to_table(members.value()).names, ElementsAre("id"));
}

TEST(RequestKeyTest, AFieldThatTheRequestLacksFailsTheNode) {
  SourceRig rig("");
  const auto rows = rig.read("list", "l:{page}");
  EXPECT_EQ(rows.error().code(), base::ErrorCode::kInvalidArgument);
  EXPECT_THAT(rows.error().message(), HasSubstr("The request has no value"));
  EXPECT_THAT(rows.error().message(), HasSubstr("page"));
}

TEST(RequestKeyTest, ART8_AFieldThatNoPlanReadsIsRefusedAtLoad) {
  SourceRig rig("");
  EXPECT_EQ(rig.read("list", "l:{other}").error().code(), base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace millrace::stores::testing
