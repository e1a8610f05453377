import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "zero_timeout",
  build: (ctx) => {
    const empty = ctx.fixedSource({ rowCount: 0 });
    const v = ctx.viewer({ endpoint: EP.redis.redis_default, onFailure: { use: "node", node: empty }, timeoutMs: 0 });
    return v;
  },
});
//! 7:103 bad_timeout viewer.timeoutMs is not a duration: 0
