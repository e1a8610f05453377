import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "not_a_choice",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.sort({ key: Key.id, order: "down" });
  },
});
//! 7:34 bad_value Unknown sort.order: down
