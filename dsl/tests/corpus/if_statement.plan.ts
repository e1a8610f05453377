import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "if_statement",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    if (Key.id > 5) {
      return v.take({ count: 1 });
    }
    return v;
  },
});
//! 7:9 opaque_expression An expression has no value when the plan is built, but `if` asks for it
