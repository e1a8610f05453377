import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "unknown_key_in_list",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.join({ rhs: v.follow({ endpoint: EP.redis.redis_default }), by: [Key.nmae] });
  },
});
//! 7:83 unknown_key Unknown key: `nmae`
