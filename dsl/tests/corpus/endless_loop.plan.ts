import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "endless_loop",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    let count = 1;
    for (;;) count += 1;
    return v;
  },
});
//! 8:19 time_limit The plan does not end
