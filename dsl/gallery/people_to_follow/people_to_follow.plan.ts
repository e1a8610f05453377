// Whom to follow: the people whom those one follows follow, but not oneself nor whom one follows
// already; similar age and the same country count, verified accounts come first.
import { definePlan } from "@millrace/dsl";

const store = { endpoint: EP.redis.main };

export default definePlan({
  name: "people_to_follow",
  outputKeys: [Key.id, Key.name, Key.score],
  build: (ctx) => {
    const me = ctx.viewer(store);
    const followed = me.follow({ ...store, fanout: 100 });
    const theirs = followed.follow({ ...store, fanout: 30 });
    const strangers = theirs
      .filter({ pred: Key.id != Req.user_id })
      .join({ rhs: followed, kind: "anti" })
      .dedupe()
      .hydrate({ ...store, prefix: "user", keys: [Key.name, Key.country, Key.age, Key.verified] });
    const likeness = Fn.exp(-Fn.abs(Key.age - Viewer.age) / 10);
    return strangers
      .filter({ pred: Key.name.isNotNull() })
      .vm({
        outKey: Key.score,
        expr:
          coalesce(likeness, 0.3) +
          (Key.country == Viewer.country ? 0.5 : 0.0) +
          (Key.verified ? 0.25 : 0.0),
        onRowError: "drop",
      })
      .sort({ by: [{ key: Key.score, order: "desc" }] })
      .take({ count: 5 });
  },
});
