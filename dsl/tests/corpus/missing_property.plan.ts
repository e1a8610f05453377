import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "missing_property",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.follow({ endpoint: EP.redis.redis_default }).vm({ outKey: Key.score });
  },
});
//! 7:59 missing_param Missing param of vm: expr
