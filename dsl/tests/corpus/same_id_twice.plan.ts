import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "same_id_twice",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return [v.take({ count: 1, id: "top" }), v.take({ count: 2, id: "top" })];
  },
});
//! 3:16 unknown_output Output named twice: top
//! 7:48 duplicate_id Duplicate node id: top
