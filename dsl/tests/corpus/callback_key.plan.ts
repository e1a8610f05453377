import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "callback_key",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.vm({ outKey: Key.score, expr: (row) => row.id * row.scroe });
  },
});
//! 7:62 unknown_key Unknown key: `scroe`
