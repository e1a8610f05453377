import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "undefined_operand",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    const weights: { age?: number } = {};
    return v.vm({ outKey: Key.score, expr: Key.id * weights.age });
  },
});
//! 8:44 undefined_value What is right of `*` is undefined
