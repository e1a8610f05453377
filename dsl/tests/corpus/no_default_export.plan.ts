import { definePlan } from "@millrace/dsl";

export const plan = definePlan({
  name: "no_default_export",
  build: (ctx) => ctx.viewer({ endpoint: EP.redis.redis_default }),
});
//! 1:1 no_plan The file exports no plan
