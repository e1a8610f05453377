import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "thrown_error",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    const groups: Record<string, { size: number }> = {};
    return v.take({ count: groups["main"]!.size });
  },
});
//! 8:41 exception TypeError: cannot read property 'size' of undefined
