// Two branches that run side by side, and two outputs.
import { definePlan } from "@ranking-dsl/runtime";

const ep = { endpoint: EP.redis.redis_default };

export default definePlan({
  name: "parallel_fanout",
  outputKeys: [Key.id, Key.parent_id],
  build: (ctx) => {
    const v = ctx.viewer(ep);
    const follow = v.follow(ep);
    const recs = v.recommendation(ep);
    return [follow, recs];
  },
});
