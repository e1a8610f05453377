import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "unknown_key",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.sort({ key: Key.scroe });
  },
});
//! 7:30 unknown_key Unknown key: `scroe`
