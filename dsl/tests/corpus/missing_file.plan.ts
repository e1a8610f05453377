import { top } from "./topp";
import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "missing_file",
  build: (ctx) => {
    const v = ctx.viewer({ endpoint: EP.redis.redis_default });
    return top(v);
  },
});
//! 1:21 bad_import There is no file `./topp`
