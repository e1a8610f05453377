import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "text_into_float",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.vm({ outKey: Key.score, expr: Key.country });
  },
});
//! 7:44 bad_expression The expression is string, but float is needed
