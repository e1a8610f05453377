// Two branches that meet again.
import { definePlan } from "@ranking-dsl/runtime";

const ep = { endpoint: EP.redis.redis_default };

export default definePlan({
  name: "diamond",
  outputKeys: [Key.id, Key.parent_id, Key.source],
  build: (ctx) => {
    const v = ctx.viewer(ep);
    const f = v.follow(ep);
    const r = v.recommendation(ep);
    const c = f.concat({ rhs: r });
    return c;
  },
});
