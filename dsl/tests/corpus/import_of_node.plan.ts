import { readFileSync } from "node:fs";
import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "import_of_node",
  build: (ctx) => {
    return ctx.viewer({ endpoint: EP.redis.redis_default, id: readFileSync("x", "utf8") });
  },
});
//! 1:30 bad_import A plan cannot import `node:fs`
