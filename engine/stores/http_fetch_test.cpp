#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stores/store_fixture.h"

namespace millrace::stores::testing {
namespace {

using tasks::testing::text;

TEST(HttpFetchTest, TSK7_IsRegisteredAndSaysWhatThisBuildLacks) {
  StoreRig rig("");
  const auto rows = rig.run({.op = "http_fetch",
                             .params = {{"endpoint", StoreRig::endpoint()},
                                        {"path", text("/score")},
                                        {"field", text("/score")},
                                        {"out_key", text("score")}},
                             .inputs = {rig.ids({1})}});
  EXPECT_EQ(rows.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_EQ(rows.error().message(), "no http client in this build");
}

TEST(HttpFetchTest, ART8_NeedsAnHttpEndpoint) {
  StoreRig rig("");
  const tasks::ClientKind kinds[] = {tasks::ClientKind::kStore};
  rig.load.endpoints = kinds;
  const auto node = rig.prepare({.op = "http_fetch",
                                 .params = {{"endpoint", StoreRig::endpoint()},
                                            {"path", text("/score")},
                                            {"field", text("/score")},
                                            {"out_key", text("score")}},
                                 .inputs = {rig.ids({1})}});
  EXPECT_EQ(node.error().code(), base::ErrorCode::kInvalidPlan);
}

}  // namespace
}  // namespace millrace::stores::testing
