import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "below_minimum",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.follow({ endpoint: EP.redis.redis_default, fanout: 0 });
  },
});
//! 7:57 param_range follow.fanout is below 1: 0
