import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "clock",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.filter({ pred: Key.created_at > Date.now() });
  },
});
//! 7:51 not_available Date is not available in plans: the same source must give the same artifact
