import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "unknown_task",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.folow({ endpoint: EP.redis.redis_default });
  },
});
//! 7:14 unknown_op There is no `folow` to call here
