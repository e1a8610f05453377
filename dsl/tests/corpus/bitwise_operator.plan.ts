import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "bitwise_operator",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.filter({ pred: (Key.id & 1) === 0 });
  },
});
//! 7:30 opaque_expression Operator `&` is none of expressions
