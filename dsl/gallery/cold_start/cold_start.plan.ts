// A user about whom nothing is known sees what is popular in the country, or everywhere; the more
// people a user follows, the less of that.
import { definePlan } from "@millrace/dsl";

const store = { endpoint: EP.redis.main };
const wanted = [Key.title, Key.language, Key.likes] as const;

export default definePlan({
  name: "cold_start",
  reserveMs: 5,
  outputKeys: [Key.id, Key.source, Key.score, Key.title],
  build: (ctx) => {
    const me = ctx.viewer(store);
    const worldwide = ctx
      .ids([901, 902, 903, 904])
      .hydrate({ ...store, prefix: "item", keys: wanted });
    const popular = me
      .recommendation({ ...store, pattern: "popular:{country}", fanout: 20, timeoutMs: 2000 })
      .hydrate({
        ...store,
        prefix: "item",
        keys: wanted,
        onFailure: { use: "node", node: worldwide },
      });
    const own = me
      .follow(store)
      .media(store)
      .hydrate({ ...store, prefix: "item", keys: wanted });

    const all = own.concat({
      inputs: [popular],
      rhs: worldwide,
      tags: ["own", "country", "world"],
    });
    return all
      .vm({
        outKey: Key.score,
        expr:
          coalesce(Key.likes, 0) *
          (Key.source == "own" ? 3.0 : Key.source == "country" ? 1.0 : 0.4) *
          (Key.language == Viewer.language ? 1.0 : 0.5),
      })
      .filter({ pred: Key.title != null })
      .dedupe({ by: Key.id, keep: "max", score: Key.score })
      .sort({ key: Key.score, order: "desc" })
      .take({ count: 6 });
  },
});
