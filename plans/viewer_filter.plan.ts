// A fetch and a condition, in builder forms.
import { definePlan, E, Pred } from "@ranking-dsl/runtime";

const ep = { endpoint: EP.redis.redis_default };

export default definePlan({
  name: "viewer_filter",
  outputKeys: [Key.id, Key.name, Key.country, Key.age],
  build: (ctx) => {
    const v = ctx.viewer(ep);
    const f = v.filter({ pred: Pred.cmp(">", E.key(Key.id), E.const(5)) });
    return f;
  },
});
