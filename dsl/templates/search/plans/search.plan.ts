// Second stage of a search: an index has found documents and scored them; here the score is
// combined with how fresh and how liked a document is.
import { definePlan } from "@millrace/dsl";

const store = { endpoint: EP.redis.redis_default };

export default definePlan({
  name: "search",
  outputKeys: [Key.id, Key.name, Key.match, Key.score],
  build: (ctx) => {
    const found = ctx.candidates({ keys: [Key.match] });
    const documents = found.hydrate({ ...store, prefix: "item", keys: [Key.name, Key.likes, Key.age_hours] });
    return documents
      .filter({ pred: Key.name.isNotNull() })
      .vm({
        outKey: Key.score,
        expr: coalesce(Key.match, 0) * coalesce(P.match_weight, 10)
          + coalesce(Key.likes, 0) / 100 - coalesce(Key.age_hours, 0) * coalesce(P.freshness, 0.01),
      })
      .dedupe({ by: [Key.name] })
      .sort({ key: Key.score, order: "desc" })
      .take({ count: 3 });
  },
});
