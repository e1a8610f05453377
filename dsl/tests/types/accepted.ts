// What must compile, in any editor, with nothing installed but TypeScript.
import { defineFragment, definePlan, E, Pred, type Rows } from "@ranking-dsl/runtime";
import { definePlan as sameDefinePlan } from "@millrace/dsl";

const ep = { endpoint: EP.redis.redis_default };

export const natural = definePlan({
  name: "natural",
  version: 3,
  outputKeys: [Key.id, Key.score],
  build: (ctx) =>
    ctx
      .viewer(ep)
      .follow({ ...ep, fanout: 10 })
      .vm({ outKey: Key.score, expr: Key.id * coalesce(P.weight, 0.5) })
      .filter({ pred: Key.score >= 0.5 && Key.country.in(["US", "CA"]) })
      .filter({ pred: Key.country == "US" || Key.age === 18 || Key.verified === true || Key.name != null })
      .filter({ pred: !Key.verified && Key.age.notIn([1, 2]) && Key.likes.isNotNull() })
      .filter({ pred: Key.verified })
      .filter({ pred: Key.likes == Key.views && Key.name < Key.country && Key.verified != Viewer.verified })
      .filter({ pred: Key.country === Viewer.country && Key.country.in([Viewer.country, Req.country]) })
      .filter({ pred: Key.name.matches(/^a/i) || Key.name.startsWith("b") || Fn.contains(Key.name, "c") })
      .vm({ outKey: Key.boost, expr: Fn.clamp(Fn.sigmoid(-Key.score / 2) * Math.max(Key.likes, 1), 0, 1) })
      .vm({ outKey: Key.response, expr: Key.age > 3 ? Key.name : "young" })
      .vm({ outKey: Key.score, expr: Fn.now() / 1000 - Key.created_at })
      .sort({ by: [{ key: Key.score, order: "desc" }, Key.id] })
      .take({ count: 10 }),
});

export const callbacks = definePlan({
  name: "callbacks",
  build: (ctx) =>
    ctx
      .viewer(ep)
      .vm({ outKey: Key.score, expr: (row) => row.age * 2 })
      .filter({ pred: (row) => row.score > 1 && row.country.in(["US"]) && row.verified })
      .vm({ outKey: Key.response, expr: (row) => row.name }),
});

export const forms = definePlan({
  name: "forms",
  build: (ctx) =>
    ctx
      .viewer(ep)
      .vm({ outKey: Key.score, expr: E.mul(E.key(Key.age), E.coalesce(P.weight, 0.5)) })
      .vm({ outKey: Key.score, expr: E.if(Pred.is(Key.verified), E.add(Key.score, 1), E.float(2)) })
      .filter({ pred: Pred.cmp(">=", E.key(Key.score), E.const(0.5)) })
      .filter({ pred: Pred.or(Pred.in(E.key(Key.country), ["US", E.viewer(Viewer.country)]), Pred.isNull(Key.name)) })
      .filter({ pred: Pred.and(Pred.not(Pred.matches(Key.name, /x/)), Pred.startsWith(Key.name, "a")) }),
});

export const several = definePlan({
  name: "several",
  outputKeys: [Key.source, Key.parent_id, Key.boost],
  build: (ctx) => {
    const v = ctx.viewer({ ...ep, id: "me", timeoutMs: 20, priority: "high" });
    const popular = ctx.ids([1, 2, 3]);
    const left = v.follow({ ...ep, onFailure: { use: "node", node: v } }).vm({ outKey: Key.score, expr: 1 });
    const right = v
      .recommendation({ ...ep, onFailure: { use: "empty" }, scheduling: { inline: false, costEstimateUs: 9 }, trace: false })
      .vm({ outKey: Key.boost, expr: 2, onRowError: "drop" });
    const both = left.concat({ rhs: right, tags: ["left", "right"] }).sort({ key: Key.boost });
    const trending = ctx.sortedSet({ ...ep, pattern: "trending", order: "desc", withScores: Key.score });
    trending.sort({ key: Key.score }).setMembers({ ...ep, pattern: "tagged:{id}", carry: [Key.score] });
    ctx.list({ ...ep, pattern: "history:{user_id}" });
    ctx.viewer(ep).sortedSet({ ...ep, pattern: "top:{country}:{id}" }).sort({ key: Key.parent_id });
    ctx.viewer({ ...ep, pattern: "user:1" });
    const woven = popular.interleave({ inputs: [left, right], pattern: "abc" }).sort({ by: [Key.score, Key.boost] });
    return [both, woven];
  },
});

const top = defineFragment({
  name: "top",
  version: "2",
  build: (rows: Rows<"id" | "score">, count: number) => rows.sort({ key: Key.score, order: "desc" }).take({ count }),
  versions: { "1": (rows, count) => rows.take({ count }) },
});

// Lets the columns of its rows through.
const doubled = defineFragment({
  name: "doubled",
  version: "1",
  build: <C extends string>(rows: Rows<C | "score">) => rows.vm({ outKey: Key.boost, expr: (row) => row.score * 2 }),
});

export const fragments = sameDefinePlan({
  name: "fragments",
  build: (ctx) => {
    doubled(ctx.viewer(ep).vm({ outKey: Key.score, expr: 1 })).sort({ by: [Key.boost, Key.score, Key.country] });
    const scored = ctx.fixedSource({ rowCount: 9 }).vm({ outKey: Key.score, expr: Key.id });
    return [top(scored, 3), top.version("1")(scored, 3)];
  },
});

export const fetched = definePlan({
  name: "fetched",
  build: (ctx) => {
    const rows = ctx.fixedSource().hydrate({ ...ep, prefix: "item" }).sort({ key: Key.likes });
    const named = ctx.fixedSource().hydrate({ ...ep, prefix: "item", keys: [Key.score, Key.likes] }).sort({ key: Key.score });
    const looked = ctx.fixedSource().lookup({ ...ep, prefix: "quality", outKey: Key.boost }).sort({ key: Key.boost });
    return rows.join({ rhs: named, kind: "left" }).join({ rhs: looked }).sort({ by: [Key.score, Key.boost] });
  },
});

export const carried = definePlan({
  name: "carried",
  outputKeys: [Key.id, Key.response, Key.country],
  build: (ctx) => {
    const me = ctx.viewer(ep);
    const followed = me.follow({ ...ep, carry: { response: Key.name, country: Key.country } });
    const joined = followed.media({ ...ep, carry: [Key.country] }).join({
      rhs: me,
      by: Key.country,
      rhsBy: Key.country,
      columns: { response: Key.name },
    });
    return joined.sort({ by: [Key.response, Key.country] }).join({ rhs: me, kind: "semi" });
  },
});

export const brought = definePlan({
  name: "brought",
  outputKeys: [Key.id, Key.score, Key.likes],
  build: (ctx) => ctx.candidates({ keys: [Key.score, Key.likes] }).sort({ key: Key.score }),
});

export const counted = definePlan({
  name: "counted",
  outputKeys: [Key.id, Key.country, Key.total, Key.score, Key.name],
  build: (ctx) =>
    ctx
      .viewer(ep)
      .follow(ep)
      .hydrate({ ...ep, prefix: "user" })
      .aggregate({
        by: [Key.country, Key.language],
        count: { total: Key.id },
        mean: { score: Key.age },
        max: { boost: Key.age },
        first: [Key.name],
      })
      .filter({ pred: Key.total > 1 })
      .sort({ by: [Key.score, Key.language, Key.boost] }),
});
