import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "unknown_endpoint",
  build: (ctx) => {
    return ctx.viewer({ endpoint: EP.redis.redis_defalt });
  },
});
//! 6:44 unknown_endpoint Unknown endpoint: `redis_defalt`
