#include "base/strong_id.h"

#include <cstdint>
#include <type_traits>
#include <unordered_set>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

struct NodeTag;
struct EdgeTag;
using NodeId = StrongId<NodeTag>;
using EdgeId = StrongId<EdgeTag>;

static_assert(!std::is_convertible_v<NodeId, EdgeId>);
static_assert(!std::is_constructible_v<NodeId, EdgeId>);
static_assert(!std::is_convertible_v<std::uint32_t, NodeId>);
static_assert(!std::is_convertible_v<NodeId, std::uint32_t>);
static_assert(sizeof(NodeId) == sizeof(std::uint32_t));
static_assert(std::is_trivially_copyable_v<NodeId>);

TEST(StrongIdTest, StartsAtZero) { EXPECT_EQ(NodeId().value(), 0U); }

TEST(StrongIdTest, KeepsItsValue) {
  constexpr NodeId kNode(7);
  static_assert(kNode.value() == 7);
  EXPECT_EQ(kNode.index(), 7U);
}

TEST(StrongIdTest, OrdersByValue) {
  EXPECT_EQ(NodeId(3), NodeId(3));
  EXPECT_NE(NodeId(3), NodeId(4));
  EXPECT_LT(NodeId(3), NodeId(4));
}

TEST(StrongIdTest, WorksAsHashKey) {
  const std::unordered_set<NodeId> nodes{NodeId(1), NodeId(2), NodeId(1)};
  EXPECT_EQ(nodes.size(), 2U);
  EXPECT_TRUE(nodes.contains(NodeId(2)));
}

}  // namespace
}  // namespace millrace::base
