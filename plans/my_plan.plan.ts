// Two fetches, then a score, a condition, an order.
import { definePlan } from "@ranking-dsl/runtime";

const ep = { endpoint: EP.redis.redis_default };

export default definePlan({
  name: "my_plan",
  outputKeys: [Key.id, Key.score],
  build: (ctx) => {
    const v = ctx.viewer(ep);
    const f = v.follow(ep);
    const vm1 = f.vm({ outKey: Key.score, expr: Key.id * coalesce(P.weight, 0.5) });
    return vm1
      .filter({ pred: Key.score >= 0.5 })
      .sort({ key: Key.score, order: "desc" })
      .take({ count: 10 });
  },
});
