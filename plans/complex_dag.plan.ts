// Ten nodes: two branches of three fetches each, merged and ranked.
import { definePlan } from "@ranking-dsl/runtime";

const ep = { endpoint: EP.redis.redis_default };

const score = { outKey: Key.score, expr: Key.id * coalesce(P.weight, 0.1) };

export default definePlan({
  name: "complex_dag",
  outputKeys: [Key.id, Key.score, Key.source],
  build: (ctx) => {
    const v = ctx.viewer(ep);
    const f = v.follow(ep);
    const fm = f.media(ep);
    const fs = fm.vm(score);
    const r = v.recommendation(ep);
    const rm = r.media(ep);
    const rs = rm.vm(score);
    const c = fs.concat({ rhs: rs });
    return c.sort({ key: Key.score, order: "desc" }).take({ count: 50 });
  },
});
