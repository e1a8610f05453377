import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "javascript_in",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.filter({ pred: Key.country in ["US", "CA"] });
  },
});
//! 7:29 opaque_expression Operator `in` is none of expressions
