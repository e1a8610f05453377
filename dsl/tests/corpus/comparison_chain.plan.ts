import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "comparison_chain",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.filter({ pred: 1 < Key.id < 5 });
  },
});
//! 7:29 bad_expression Operator `<` cannot compare bool with int
