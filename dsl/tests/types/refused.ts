// What must not compile: every line below an expectation is an error in the editor.
import { defineFragment, definePlan, E, Pred, type Rows } from "@millrace/dsl";

const ep = { endpoint: EP.redis.redis_default };

definePlan({
  name: "key_flow",
  // @ts-expect-error nothing writes score
  outputKeys: [Key.score],
  build: (ctx) => {
    const rows = ctx.viewer(ep).follow(ep);
    // @ts-expect-error nothing upstream writes score
    rows.sort({ key: Key.score });
    // @ts-expect-error nothing upstream writes score
    rows.sort({ by: [Key.id, { key: Key.score, order: "desc" }] });
    // @ts-expect-error nothing upstream writes score
    rows.dedupe({ by: [Key.id, Key.score] });
    // @ts-expect-error nothing upstream writes score
    rows.filter({ pred: Pred.cmp(">", E.key(Key.score), 1) });
    // @ts-expect-error nothing upstream writes score
    rows.filter({ pred: Pred.not(Pred.in(Key.score, [1, 2])) });
    // @ts-expect-error nothing upstream writes score
    rows.vm({ outKey: Key.boost, expr: E.add(Key.age, E.if(Pred.isNull(E.key(Key.score)), 1, 2)) });
    // @ts-expect-error nothing upstream writes score
    rows.filter({ pred: (row) => row.score > 1 });
    // @ts-expect-error nothing upstream writes source
    rows.sort({ key: Key.source });
    // @ts-expect-error these rows have no keys but id
    ctx.fixedSource().sort({ key: Key.age });
    // @ts-expect-error only likes are fetched
    ctx.fixedSource().hydrate({ ...ep, prefix: "item", keys: [Key.likes] }).sort({ key: Key.views });
    // @ts-expect-error rows of this pattern have no age
    ctx.fixedSource().follow({ ...ep, pattern: "follow:{age}" });
    // @ts-expect-error the rows of a fan-out do not have the viewer's name
    rows.sort({ key: Key.name });
    // @ts-expect-error age is taken along, name is not
    ctx.viewer(ep).follow({ ...ep, carry: [Key.age] }).sort({ key: Key.name });
    // @ts-expect-error the column has a new name
    ctx.viewer(ep).follow({ ...ep, carry: { response: Key.name } }).sort({ key: Key.name });
    // @ts-expect-error a writable key of the request is named in keys
    ctx.candidates().sort({ key: Key.score });
    const people = ctx.viewer(ep);
    // @ts-expect-error groups have their keys and what is computed
    people.aggregate({ by: Key.country, count: { total: Key.id } }).sort({ key: Key.age });
    // @ts-expect-error only numbers have a mean
    people.aggregate({ by: Key.country, mean: { score: Key.name } });
    // @ts-expect-error a plan may not write the age
    people.aggregate({ by: Key.country, max: { age: Key.age } });
    // @ts-expect-error the rows have no key to group by
    ctx.fixedSource().aggregate({ by: Key.country });
    // @ts-expect-error a semi join adds no columns
    rows.join({ rhs: ctx.viewer(ep), kind: "semi" }).sort({ key: Key.name });
    // @ts-expect-error columns takes the age only
    rows.join({ rhs: ctx.viewer(ep), columns: [Key.age] }).sort({ key: Key.name });
    // @ts-expect-error a score is a number
    ctx.viewer(ep).diversify({ by: Key.id, score: Key.name });
    // @ts-expect-error the right side has no boost either
    rows.concat({ rhs: ctx.fixedSource() }).sort({ key: Key.boost });
    return rows;
  },
});

definePlan({
  name: "names",
  build: (ctx) => {
    // @ts-expect-error unknown key
    ctx.viewer(ep).sort({ key: Key.scroe });
    // @ts-expect-error unknown param
    ctx.viewer(ep).filter({ pred: Key.age > P.wieght });
    // @ts-expect-error unknown endpoint
    ctx.viewer({ endpoint: EP.redis.redis_defalt });
    // @ts-expect-error unknown task
    ctx.viewer(ep).folow(ep);
    // @ts-expect-error unknown field of the request
    ctx.viewer(ep).filter({ pred: Key.country == Req.cuntry });
    // @ts-expect-error unknown param of a task
    ctx.viewer(ep).take({ cuont: 1 });
    // @ts-expect-error a key is no text
    ctx.viewer(ep).sort({ key: "age" });
    // @ts-expect-error a param is no key
    ctx.viewer(ep).sort({ key: P.weight });
    // @ts-expect-error an endpoint is no text
    ctx.viewer({ endpoint: "redis_default" });
    // @ts-expect-error no field of the request
    ctx.viewer({ ...ep, pattern: "user:{usr_id}" });
    // @ts-expect-error no field of the request is called id
    ctx.list({ ...ep, pattern: "saved:{user_id}:{id}" });
    // @ts-expect-error one of the names is no column
    ctx.fixedSource().sortedSet({ ...ep, pattern: "top:{id}:{age}" });
    // @ts-expect-error without an input nothing can be taken along
    ctx.setMembers({ ...ep, pattern: "blocked", carry: [Key.score] });
    // @ts-expect-error rows of a source have no parent
    ctx.list({ ...ep, pattern: "trending" }).sort({ key: Key.parent_id });
    // @ts-expect-error a score is a float
    ctx.sortedSet({ ...ep, pattern: "trending", withScores: Key.name });
    // @ts-expect-error nothing wrote the score
    ctx.sortedSet({ ...ep, pattern: "trending" }).sort({ key: Key.score });
    return ctx.viewer(ep);
  },
});

definePlan({
  name: "params",
  build: (ctx) => {
    const rows = ctx.viewer(ep);
    // @ts-expect-error count is missing
    rows.take({});
    // @ts-expect-error endpoint is missing
    rows.follow({ fanout: 1 });
    // @ts-expect-error count is a number
    rows.take({ count: "10" });
    // @ts-expect-error undefined is no value
    rows.take({ count: undefined });
    // @ts-expect-error undefined is no value, also of an optional param
    rows.follow({ ...ep, fanout: undefined });
    // @ts-expect-error not a direction
    rows.sort({ key: Key.age, order: "up" });
    // @ts-expect-error plans may not write age
    rows.vm({ outKey: Key.age, expr: 1 });
    // @ts-expect-error rhs is a node
    rows.concat({ rhs: 1 });
    // @ts-expect-error the only inputs of take are its rows
    rows.take({ count: 1, inputs: [rows] });
    // @ts-expect-error a fallback node is rows
    rows.take({ count: 1, onFailure: { use: "node", node: "v" } });
    // @ts-expect-error not a fallback
    rows.take({ count: 1, onFailure: { use: "nothing" } });
    // @ts-expect-error a number
    rows.take({ count: 1, timeoutMs: "30ms" });
    // @ts-expect-error unknown hint
    rows.take({ count: 1, scheduling: { cost: 1 } });
    return rows;
  },
});

definePlan({
  name: "expressions",
  build: (ctx) => {
    const rows = ctx.viewer(ep);
    // @ts-expect-error score is a number
    rows.vm({ outKey: Key.score, expr: "a" });
    // @ts-expect-error score is a number
    rows.vm({ outKey: Key.score, expr: Key.name });
    // @ts-expect-error score is a number
    rows.vm({ outKey: Key.score, expr: E.lower(Key.name) });
    // @ts-expect-error score is a number
    rows.vm({ outKey: Key.score, expr: (row) => row.name });
    // @ts-expect-error response is a text
    rows.vm({ outKey: Key.response, expr: Key.age * 2 });
    // @ts-expect-error a predicate is a bool
    rows.filter({ pred: Key.age + 1 });
    // @ts-expect-error a predicate is a bool
    rows.filter({ pred: E.key(Key.age) });
    // @ts-expect-error texts do not multiply
    rows.vm({ outKey: Key.score, expr: Key.name * 2 });
    // @ts-expect-error coalesce takes values of one type
    rows.vm({ outKey: Key.score, expr: coalesce(Key.age, "x") });
    // @ts-expect-error countries are texts
    rows.filter({ pred: Key.country.in([1]) });
    // @ts-expect-error numbers have no regex
    rows.filter({ pred: Key.age.matches(/x/) });
    // @ts-expect-error a number and a text
    rows.filter({ pred: Key.age == "18" });
    // @ts-expect-error a number and a text
    rows.filter({ pred: Pred.cmp(">", E.key(Key.age), "x") });
    // @ts-expect-error not a comparison of the language
    rows.filter({ pred: Pred.cmp("===", E.key(Key.age), 1) });
    // @ts-expect-error a number and a text
    rows.filter({ pred: Pred.in(Key.country, ["NO", 1]) });
    // @ts-expect-error a number and a text
    rows.filter({ pred: Key.age === Viewer.country });
    // @ts-expect-error not a param
    rows.vm({ outKey: Key.score, expr: E.param(Key.age) });
    // @ts-expect-error not a field of the request
    rows.vm({ outKey: Key.score, expr: E.req(Viewer.age) });
    // @ts-expect-error not a field of the viewer
    rows.vm({ outKey: Key.score, expr: E.viewer(Key.age) });
    // @ts-expect-error not a key
    rows.vm({ outKey: Key.score, expr: E.key(P.weight) });
    // @ts-expect-error not a number
    rows.vm({ outKey: Key.score, expr: E.sqrt(Key.name) });
    // @ts-expect-error two branches of different types
    rows.vm({ outKey: Key.score, expr: E.if(true, 1, "a") });
    return rows;
  },
});

const top = defineFragment({
  name: "top",
  version: "1",
  build: (rows: Rows<"id" | "score">, count: number) => rows.sort({ key: Key.score }).take({ count }),
});
definePlan({
  name: "fragments",
  build: (ctx) => {
    // @ts-expect-error these rows have no score
    top(ctx.viewer(ep), 1);
    // @ts-expect-error count is missing
    top(ctx.viewer(ep).vm({ outKey: Key.score, expr: 1 }));
    // @ts-expect-error count is a number
    top(ctx.viewer(ep).vm({ outKey: Key.score, expr: 1 }), "1");
    return ctx.viewer(ep);
  },
});

// @ts-expect-error build gives nothing
definePlan({ name: "nothing", build: () => {} });
// @ts-expect-error a plan has a name
definePlan({ build: (ctx) => ctx.fixedSource() });
// @ts-expect-error unknown field
definePlan({ name: "typo", biuld: 1, build: (ctx) => ctx.fixedSource() });
