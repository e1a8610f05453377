import { definePlan } from "@millrace/dsl";

export default definePlan({
  name: "unknown_endpoint_kind",
  build: (ctx) => {
    return ctx.viewer({ endpoint: EP.reddis.redis_default });
  },
});
//! 6:38 unknown_endpoint No endpoint is of the kind `reddis`
