import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "output_key_nobody_writes",
  outputKeys: [Key.id, Key.score],
  build: (ctx) => ctx.viewer({ endpoint: EP.redis.redis_default }).follow({ endpoint: EP.redis.redis_default }),
});
//! 5:24 key_not_available Nothing writes the output key: score
