import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "unknown_param_name",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.vm({ outKey: Key.score, expr: Key.id * P.wieght });
  },
});
//! 7:55 unknown_name Unknown param: `wieght`
