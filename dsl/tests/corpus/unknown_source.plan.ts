import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "unknown_source",
  build: (ctx) => {
    return ctx.veiwer({ endpoint: EP.redis.redis_default });
  },
});
//! 6:16 unknown_op There is no `veiwer` to call here
