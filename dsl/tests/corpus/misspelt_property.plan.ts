import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "misspelt_property",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v
      .take({ cuont: 3 });
  },
});
//! 8:8 missing_param Missing param of take: count
//! 8:15 unknown_param Unknown param of take: cuont
