import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "template_text",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.take({ count: 1, id: `take_${Key.id}` });
  },
});
//! 7:43 opaque_expression An expression has no value when the plan is built, but a text is made of it
