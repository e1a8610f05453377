#include "stores/redis/cluster/cluster_part.h"

#include <string>

#include <gtest/gtest.h>

#include "stores/redis/cluster/cluster_split.h"
#include "stores/redis/redis_fixture.h"

namespace millrace::stores::testing {
namespace {

struct PartRig : RedisRig, ClusterPartOwner {
  void on_part_done(ClusterPart&, base::Status with_status) override { status = with_status; }

  TestCall call{{{"GET", "a"}, {"HGETALL", "b"}, {"GET", "c"}}};
  SplitCall split = split_call(call);
  RedisPool pool{{.loop = loop, .connector = connector, .random = random, .cells = cells},
                 pool_settings()};
  std::optional<base::Status> status;
};

TEST(ClusterPartTest, RED11_KeepsRepliesOfEveryFormByPiece) {
  PartRig rig;
  rig.replies = {{"GET c", ":7\r\n"}, {"HGETALL b", "%1\r\n$1\r\nf\r\n$-1\r\n"}};
  ClusterPart part(rig, rig.pool, rig.split, false);
  part.add(2);
  part.add(1);
  ASSERT_TRUE(part.submit());
  rig.loop.run_ready();
  ASSERT_TRUE(rig.status && *rig.status);
  RespTreeSink sink;
  replay(part.reply(1), sink);
  replay(part.reply(0), sink);
  ASSERT_EQ(sink.values.size(), 2U);
  EXPECT_EQ(sink.values[0].to_string(), R"(map["f", null])");
  EXPECT_EQ(sink.values[1].to_string(), "7");
  EXPECT_FALSE(part.blocks().empty());
}

TEST(ClusterPartTest, RED12_AskingStandsBeforeEachCommandAndItsRepliesAreDropped) {
  PartRig rig;
  rig.other = "+OK\r\n";
  rig.replies = {{"GET a", ":1\r\n"}, {"GET c", ":2\r\n"}};
  ClusterPart part(rig, rig.pool, rig.split, true);
  part.add(0);
  part.add(2);
  ASSERT_TRUE(part.submit());
  rig.loop.run_ready();
  ASSERT_TRUE(rig.status && *rig.status);
  ASSERT_EQ(rig.commands.size(), 4U);
  EXPECT_EQ(rig.commands[0], Words{"ASKING"});
  EXPECT_EQ(rig.commands[2], Words{"ASKING"});
  EXPECT_EQ(part.reply(0).front().integer, 1);
  EXPECT_EQ(part.reply(1).front().integer, 2);
}

TEST(ClusterPartTest, APartThatGoesHearsNothing) {
  PartRig rig;
  {
    ClusterPart part(rig, rig.pool, rig.split, false);
    part.add(0);
    ASSERT_TRUE(part.submit());
  }
  rig.loop.run_ready();
  EXPECT_FALSE(rig.status.has_value());
}

}  // namespace
}  // namespace millrace::stores::testing
