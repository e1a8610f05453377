import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "opaque_function",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.vm({ outKey: Key.score, expr: parseFloat(Key.id) * 2 });
  },
});
//! 7:44 opaque_expression Key.id has no value when the plan is built
