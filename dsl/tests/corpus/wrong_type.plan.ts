import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "wrong_type",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.take({ count: "ten" });
  },
});
//! 7:21 wrong_type take.count: expected an int, found a string
