import { definePlan, Pred, E } from "@ranking-dsl/runtime";
import type { Rows } from "@millrace/dsl";
const ep = { endpoint: EP.redis.redis_default };

export const mixed = definePlan({
  name: "mixed_pipeline",
  outputKeys: [Key.id, Key.score],
  build: (ctx) =>
    ctx
      .viewer({ endpoint: EP.redis.redis_default })
      .follow({ endpoint: EP.redis.redis_default })
      .vm({ outKey: Key.score, expr: Key.id * coalesce(P.weight, 0.5) })
      .filter({ pred: Pred.cmp(">=", E.key(Key.score), E.const(0.5)) })
      .filter({ pred: Key.score >= 0.5 && Key.country.in(["US", "CA"]) })
      .filter({ pred: Key.country == "US" && Key.age === 18 && Key.verified === true && Key.name != null })
      .filter({ pred: Key.verified && !Key.verified })
      .filter({ pred: (row) => row.score * 2 > 1 && row.country.in(["US"]) && row.verified })
      .vm({ outKey: Key.boost, expr: (row) => row.score * 2 })
      .vm({ outKey: Key.response, expr: Key.age > 3 ? "a" : "b" })
      .vm({ outKey: Key.boost, expr: E.mul(E.key(Key.score), Key.likes) })
      .vm({ outKey: Key.boost, expr: E.mul(E.key(Key.score), 2) })
      .vm({ outKey: Key.boost, expr: E.if(Pred.and(Pred.is(Key.verified), Pred.in(Key.country, ["US", E.viewer(Viewer.country)])), 2, E.coalesce(P.weight, 1)) })
      .sort({ key: Key.score, order: "desc" })
      .sort({ by: [{ key: Key.score, order: "desc" }, Key.id] })
      .filter({ pred: Fn.startsWith(Key.name, "a") && Key.name.startsWith("b") && Key.name.matches(/x/i) })
      .take({ count: 10 }),
});
definePlan({ name: "d", outputKeys: [Key.source, Key.parent_id], build: (ctx) => {
  const v = ctx.viewer(ep);
  const a = v.follow(ep).vm({ outKey: Key.score, expr: 1 });
  const b = v.recommendation(ep).vm({ outKey: Key.boost, expr: 1 });
  const c = ctx.fixedSource();
  const d = c.concat({ inputs: [a, b], rhs: v });
  d.sort({ key: Key.boost }).sort({ key: Key.score });
  return [a.concat({ rhs: b, timeoutMs: 3, onFailure: { use: "node", node: c } }), c];
} });
definePlan({ name: "e", build: (ctx) => {
  // @ts-expect-error
  ctx.viewer(ep).follow(ep).sort({ key: Key.score });
  // @ts-expect-error
  ctx.viewer(ep).follow(ep).filter({ pred: Pred.cmp(">", E.key(Key.score), 1) });
  // @ts-expect-error
  ctx.viewer(ep).follow(ep).filter({ pred: (row) => row.score > 1 });
  // @ts-expect-error
  ctx.viewer(ep).vm({ outKey: Key.age, expr: 1 });
  // @ts-expect-error
  ctx.viewer(ep).vm({ outKey: Key.score, expr: "a" });
  // @ts-expect-error
  ctx.viewer(ep).filter({ pred: Key.age + 1 });
  // @ts-expect-error
  ctx.viewer(ep).filter({ pred: coalesce(Key.age, "x") });
  // @ts-expect-error
  ctx.viewer(ep).filter({ pred: Pred.cmp(">", E.key(Key.age), "x") });
  // @ts-expect-error
  const r: Rows<"score"> = ctx.fixedSource();
  const r2: Rows<"id"> = ctx.viewer(ep);
  return r2;
},
  // @ts-expect-error
  outputKeys: [Key.score],
});
definePlan({ name: "g", build: (ctx) => ctx.fixedSource({rowCount: 3}).hydrate({...ep, prefix: "item", keys: [Key.score, Key.likes]}).sort({key: Key.score})});
// @ts-expect-error
definePlan({ name: "g", build: (ctx) => ctx.fixedSource({rowCount: 3}).hydrate({...ep, prefix: "item", keys: [Key.likes]}).sort({key: Key.views})});
definePlan({ name: "g", build: (ctx) => ctx.fixedSource({rowCount: 3}).hydrate({...ep, prefix: "item"}).sort({key: Key.views})});
