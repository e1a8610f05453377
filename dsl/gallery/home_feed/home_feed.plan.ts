// The posts of the people a user follows: recent and liked ones first, in the user's language, at
// most two of one author, no two of one category in a row.
import { definePlan } from "@millrace/dsl";
import { withFreshness } from "../fragments/freshness.ts";

const store = { endpoint: EP.redis.main };
const engagement = Fn.log(1 + Key.likes + 3 * Key.shares);

export default definePlan({
  name: "home_feed",
  outputKeys: [Key.id, Key.score, Key.author_id, Key.category],
  build: (ctx) => {
    const me = ctx.viewer(store);
    const followed = me.follow({ ...store, fanout: 50 });
    const posts = followed
      .media({ ...store, fanout: 20, timeoutMs: 2000, onFailure: { use: "empty" } })
      .hydrate({
        ...store,
        prefix: "post",
        keys: [
          Key.author_id,
          Key.category,
          Key.language,
          Key.adult,
          Key.created_at,
          Key.likes,
          Key.shares,
        ],
      });
    const suitable = posts.filter({
      pred: Key.language.in([Viewer.language, "en"]) && (!Key.adult || Viewer.age >= 18),
    });
    const scored = withFreshness(suitable).vm({
      outKey: Key.score,
      expr: engagement * Key.freshness,
    });
    return scored
      .filter({ pred: Key.score > P.min_score })
      .sort({ key: Key.score, order: "desc" })
      .groupLimit({ by: Key.author_id, count: 2 })
      .diversify({ by: Key.category, window: 2, maxInWindow: 1 })
      .take({ count: 8 });
  },
});
