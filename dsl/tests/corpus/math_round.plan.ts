import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "math_round",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.vm({ outKey: Key.score, expr: Math.round(Key.id / 3) });
  },
});
//! 7:44 opaque_expression Math.round is not a function of expressions
