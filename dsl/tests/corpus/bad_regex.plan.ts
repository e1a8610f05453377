import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "bad_regex",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return v.filter({ pred: /(?=x)y/.test(Key.country) });
  },
});
//! 7:29 bad_expression The regex does not compile: invalid perl operator: (?=
