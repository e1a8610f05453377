import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "key_plans_may_not_write",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.vm({ outKey: Key.country, expr: Key.country });
  },
});
//! 7:27 key_not_writable A plan may not write the key: country
