import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "key_nobody_writes",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v
      .follow({ endpoint: EP.redis.redis_default })
      .filter({ pred: Key.id > 1 && Key.score > 0.5 });
  },
});
//! 9:37 key_not_available Nothing before this node writes the key: score
