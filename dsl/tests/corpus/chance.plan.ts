import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "chance",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.take({ count: Math.floor(Math.random() * 10) });
  },
});
//! 7:44 not_available Math.random is not available in plans: the same source must give the same artifact
