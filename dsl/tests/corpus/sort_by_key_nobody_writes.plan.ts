import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "sort_by_key_nobody_writes",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.follow({ endpoint: EP.redis.redis_default }).sort({ key: Key.boost, order: "desc" });
  },
});
//! 7:71 key_not_available Nothing before this node writes the key: boost
