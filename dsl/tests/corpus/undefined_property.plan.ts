import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "undefined_property",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    const limits: { top?: number } = {};
    return v.take({ count: limits.top });
  },
});
//! 8:21 undefined_value take.count: expected an int, found undefined
