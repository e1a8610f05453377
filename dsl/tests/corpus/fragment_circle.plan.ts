import { definePlan, defineFragment } from "@millrace/dsl";

const cut: any = defineFragment({
  name: "cut",
  version: "1",
  build: (rows: any) => cut(rows.take({ count: 1 })),
});
export default definePlan({
  name: "fragment_circle",
  build: (ctx) => {
    return cut(ctx.viewer({ endpoint: EP.redis.redis_default }));
  },
});
//! 6:25 cycle Fragments use each other in a circle: cut → cut
