import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "syntax_error",
  build: (ctx) => {
    return ctx.viewer({ endpoint: EP.redis.redis_default );
  },
});
//! 6:58 syntax ',' expected.
