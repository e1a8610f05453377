// One feed of three sources with quotas: two posts of friends, one recommended, and one
// advertisement after every five of them; each source fails alone.
import { definePlan, type Rows } from "@millrace/dsl";

const store = { endpoint: EP.redis.main };
const optional = { timeoutMs: 2000, onFailure: { use: "empty" } } as const;

/** The best of a source, without what is too old for it. */
function best(rows: Rows<"id">, prefix: string, count: number) {
  return rows
    .hydrate({ ...store, prefix, keys: [Key.author_id, Key.likes, Key.views] })
    .vm({ outKey: Key.score, expr: coalesce(Key.likes, 0) / (coalesce(Key.views, 0) + 10) })
    .sort({ key: Key.score, order: "desc" })
    .take({ count });
}

export default definePlan({
  name: "blended_feed",
  outputKeys: [Key.id, Key.source, Key.score],
  build: (ctx) => {
    const me = ctx.viewer(store);
    const friends = me.follow({ ...store, ...optional }).media({ ...store, ...optional });
    const suggested = me.recommendation({ ...store, ...optional });
    const sponsored = me.recommendation({
      ...store,
      ...optional,
      pattern: "ads:{country}",
      fanout: 10,
    });

    const organic = best(friends, "post", 8).interleave({
      rhs: best(suggested, "post", 4),
      pattern: "aab",
    });
    const unique = organic.dedupe();
    const ads = best(sponsored, "ad", 2).filter({ pred: Key.author_id.isNotNull() });
    const tagged = unique.concat({ rhs: ads, tags: ["organic", "ad"] });
    const posts = tagged.filter({ pred: Key.source == "organic" });
    const paid = tagged.filter({ pred: Key.source == "ad" });
    return posts.interleave({ rhs: paid, pattern: "aaaaab" }).take({ count: 12 });
  },
});
