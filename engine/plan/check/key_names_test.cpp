#include "plan/check/key_names.h"

#include <optional>

#include <gtest/gtest.h>

#include "plan/catalog_fixture.h"

namespace millrace::plan {
namespace {

TEST(HashPrefixTest, E4_ComesFromAPrefixOrThePatternsBeginning) {
  const StubCatalog catalog = sample_catalog();
  CompiledNode node;
  node.task = catalog.find_task("viewer");
  node.params = {EndpointId{}, std::string("user:{user_id}")};
  EXPECT_EQ(hash_prefix(node), "user");
  node.task = catalog.find_task("hydrate");
  node.params = {EndpointId{}, std::string("item"), std::monostate()};
  EXPECT_EQ(hash_prefix(node), "item");
  node.task = catalog.find_task("take");
  node.params = {std::int64_t{1}};
  EXPECT_EQ(hash_prefix(node), std::nullopt);
}

TEST(HashPrefixTest, E4_AKeyWithoutOwnersIsOfEveryHash) {
  const Registry registry = sample_registry();
  EXPECT_TRUE(belongs_to(*registry.find_key("name"), "user"));
  EXPECT_TRUE(belongs_to(*registry.find_key("created_at"), "item"));
  EXPECT_FALSE(belongs_to(*registry.find_key("created_at"), "user"));
}

}  // namespace
}  // namespace millrace::plan
