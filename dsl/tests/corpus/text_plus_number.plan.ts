import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "text_plus_number",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.vm({ outKey: Key.score, expr: Key.id * 2 + Key.country });
  },
});
//! 7:44 bad_expression Operator `+` needs numbers, not string
