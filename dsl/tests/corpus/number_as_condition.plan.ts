import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "number_as_condition",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.filter({ pred: Key.id + 1 });
  },
});
//! 7:29 bad_expression The expression is int, but bool is needed
