// What to tell a user now: nothing muted, no promotion but for adults who are up to date, one
// message per sender, urgent ones first. Written in builder forms throughout.
import { definePlan, E, Pred } from "@millrace/dsl";

const store = { endpoint: EP.redis.main };

export default definePlan({
  name: "notifications",
  outputKeys: [Key.id, Key.kind, Key.urgency, Key.author_id],
  build: (ctx) => {
    const me = ctx.viewer(store);
    const events = me
      .follow({ ...store, pattern: "events:{id}" })
      .hydrate({
        ...store,
        prefix: "event",
        keys: [Key.kind, Key.urgency, Key.muted, Key.author_id, Key.created_at],
      });
    const age = E.sub(E.coalesce(Req.at_s, E.div(E.now(), 1000)), E.key(Key.created_at));
    return events
      .filter({
        pred: Pred.and(
          Pred.not(E.coalesce(Key.muted, false)),
          Pred.cmp("<", age, E.mul(7, 86400)),
          Pred.or(
            Pred.in(E.key(Key.kind), ["reply", "mention", "follow"]),
            Pred.and(Pred.cmp("==", E.key(Key.kind), "like"), Pred.cmp("<", age, 86400)),
            Pred.and(
              Pred.matches(Key.kind, /^promo/),
              Pred.cmp(">=", E.viewer(Viewer.age), 18),
              Pred.is(E.viewer(Viewer.verified)),
            ),
          ),
        ),
      })
      .vm({
        outKey: Key.score,
        expr: E.sub(E.mul(E.coalesce(Key.urgency, 0), 100), E.div(age, 3600)),
      })
      .sort({
        by: [
          { key: Key.score, order: "desc" },
          { key: Key.created_at, order: "desc" },
        ],
      })
      .groupLimit({ by: [Key.author_id], count: 1 })
      .take({ count: 5 });
  },
});
