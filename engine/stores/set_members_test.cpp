#include <cstdint>
#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using tasks::testing::ids_of;
using tasks::testing::num;
using tasks::testing::text;
using tasks::testing::to_table;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SetMembersTest, TSK7_ReadsAllMembersOfOneSetPerRowById) {
  StoreRig rig("SADD tag:1 10 -2 9\nSADD tag:3 30\n");
  const auto rows =
      rig.run({.op = "set_members",
               .params = {{"endpoint", StoreRig::endpoint()}, {"pattern", text("tag:{id}")}},
               .inputs = {rig.ids({3, 2, 1})}});
  EXPECT_THAT(ids_of(rows.value()), ElementsAre(30, -2, 9, 10));
  EXPECT_THAT(to_table(rows.value()).column("parent_id"), ElementsAre(3, 1, 1, 1));
}

TEST(SetMembersTest, RED6_OtherTypesAndMembersThatAreNoIdsFailTheNode) {
  StoreRig rig("SADD s 1 x y\nRPUSH l 1\n");
  const auto error_of = [&](const char* pattern) {
    return rig
        .run({.op = "set_members",
              .params = {{"endpoint", StoreRig::endpoint()}, {"pattern", text(pattern)}},
              .inputs = {rig.ids({1})}})
        .error()
        .message();
  };
  EXPECT_THAT(error_of("l"), HasSubstr("WRONGTYPE"));
  EXPECT_THAT(error_of("s"), HasSubstr("A member of a set is no 64-bit integer: key s, value x"));
}

TEST(SetMembersTest, LIM1_ASetThatIsTooLargeFailsTheNode) {
  std::string line = "SADD s";
  for (int i = 0; i <= 100'000; ++i) line += " " + std::to_string(i);
  StoreRig rig(line + "\n");
  const auto rows = rig.run({.op = "set_members",
                             .params = {{"endpoint", StoreRig::endpoint()}, {"pattern", text("s")}},
                             .inputs = {rig.ids({1})}});
  EXPECT_EQ(rows.error().code(), base::ErrorCode::kResourceExhausted);
  EXPECT_THAT(rows.error().message(), HasSubstr("key s, 100001 members"));
}

}  // namespace
}  // namespace millrace::stores::testing
