// What is popular now: the top of the country and of everywhere, by their scores, without what the
// user has seen and without blocked authors.
import { definePlan } from "@millrace/dsl";

const store = { endpoint: EP.redis.main };

export default definePlan({
  name: "trending_now",
  outputKeys: [Key.id, Key.title, Key.author_id, Key.source, Key.score],
  build: (ctx) => {
    const top = { ...store, order: "desc", fanout: 20, withScores: Key.score } as const;
    const here = ctx.viewer(store).sortedSet({ ...top, pattern: "trending:{country}" });
    const everywhere = ctx.sortedSet({ ...top, pattern: "trending" });
    const blocked = ctx.setMembers({ ...store, pattern: "blocked:{user_id}" });
    const seen = ctx.list({ ...store, pattern: "seen:{user_id}", fanout: 1000 });
    return here
      .concat({ rhs: everywhere, tags: ["country", "world"] })
      .dedupe({ by: Key.id, keep: "max", score: Key.score })
      .join({ rhs: seen, kind: "anti" })
      .hydrate({ ...store, prefix: "item", keys: [Key.title, Key.author_id] })
      .join({ rhs: blocked, by: Key.author_id, rhsBy: Key.id, kind: "anti" })
      .sort({ key: Key.score, order: "desc" })
      .take({ count: 5 });
  },
});
