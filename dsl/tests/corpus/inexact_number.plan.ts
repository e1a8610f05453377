import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "inexact_number",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    const big = 2 ** 53 + 2;
    return v.filter({ pred: Key.id < big });
  },
});
//! 8:29 inexact_number A whole number beyond 2^53 is not exact in JavaScript
