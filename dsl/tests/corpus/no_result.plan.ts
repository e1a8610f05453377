import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "no_result",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    v.take({ count: 3 });
  },
});
//! 3:16 no_output build gives undefined
