// A weekly e-mail with three parts, each an output of its own: the best of those one follows, what
// the country reads, and offers. A part that fails is left out; the e-mail goes out all the same.
import { definePlan, type Rows } from "@millrace/dsl";
import { withFreshness } from "../fragments/freshness.ts";

const store = { endpoint: EP.redis.main };
const WEEK_S = 7 * 86400;

function articles(rows: Rows<"id">) {
  const known = rows
    .hydrate({
      ...store,
      prefix: "post",
      keys: [Key.title, Key.likes, Key.created_at],
      timeoutMs: 2000,
      onFailure: { use: "empty" },
    })
    .filter({
      pred: Key.title != null && coalesce(Req.at_s, Fn.now() / 1000) - Key.created_at < WEEK_S,
    });
  return withFreshness(known)
    .vm({ outKey: Key.score, expr: Fn.sqrt(coalesce(Key.likes, 0)) * (0.5 + Key.freshness / 2) })
    .sort({ key: Key.score, order: "desc" });
}

export default definePlan({
  name: "email_digest",
  reserveMs: 10,
  outputKeys: [Key.id, Key.title, Key.score, Key.price],
  build: (ctx) => {
    const me = ctx.viewer(store);
    const fromFriends = articles(me.follow(store).media(store)).take({ count: 3 });
    const trending = articles(me.recommendation({ ...store, pattern: "trending:{country}" }))
      .join({ rhs: fromFriends, kind: "anti" })
      .take({ count: 3 });
    const offers = me
      .recommendation({
        ...store,
        pattern: "offers:{id}",
        fanout: 20,
        priority: "low",
        onFailure: { use: "empty" },
      })
      .hydrate({
        ...store,
        prefix: "offer",
        keys: [Key.title, Key.price, Key.rating],
        onFailure: { use: "empty" },
      })
      .filter({ pred: Key.price.isNotNull() && Key.title.isNotNull() })
      .vm({
        outKey: Key.score,
        expr: coalesce(Key.rating, 3) / Fn.max(Key.price, 1),
        scheduling: { inline: true },
      })
      .sort({ key: Key.score, order: "desc" })
      .take({ count: 2 });
    return [fromFriends, trending, offers];
  },
});
