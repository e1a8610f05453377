// One fetch: the profile of the user who asks.
import { definePlan } from "@ranking-dsl/runtime";

const ep = { endpoint: EP.redis.redis_default };

export default definePlan({
  name: "simple_viewer",
  outputKeys: [Key.id, Key.name, Key.country, Key.age],
  build: (ctx) => {
    const v = ctx.viewer(ep);
    return v;
  },
});
