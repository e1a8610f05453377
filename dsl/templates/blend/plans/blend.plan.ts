// One feed of two sources: two articles of people that the reader follows, then a recommended one,
// and so on. Each source fails alone, and no article comes twice.
import { definePlan } from "@millrace/dsl";

const store = { endpoint: EP.redis.redis_default };
const optional = { timeoutMs: 500, onFailure: { use: "empty" } } as const;

export default definePlan({
  name: "blend",
  outputKeys: [Key.id, Key.name, Key.source, Key.likes],
  build: (ctx) => {
    const reader = ctx.viewer(store);
    const followed = reader.follow({ ...store, ...optional }).media({ ...store, ...optional });
    const suggested = reader.recommendation({ ...store, ...optional });
    const all = followed.concat({ rhs: suggested, tags: ["followed", "suggested"] })
      .hydrate({ ...store, prefix: "item", keys: [Key.name, Key.likes] })
      .filter({ pred: coalesce(Key.likes, 0) >= 20 })
      .sort({ key: Key.likes, order: "desc" })
      .dedupe();
    const mine = all.filter({ pred: Key.source == "followed" });
    const others = all.filter({ pred: Key.source == "suggested" });
    return mine.interleave({ rhs: others, pattern: "aab" }).take({ count: 5 });
  },
});
