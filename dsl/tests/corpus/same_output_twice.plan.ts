import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "same_output_twice",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return [v, v];
  },
});
//! 6:19 unknown_output build gives the same rows twice
