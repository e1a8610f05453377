import assert from "node:assert/strict";
import { after, test } from "node:test";
import { PlanFixture, shortProblems } from "./plan_fixture.ts";

const lab = new PlanFixture();
after(() => lab.close());

const HEAD = 'import { definePlan, defineFragment } from "@millrace/dsl";\n';
const VIEWER = "ctx.viewer({ endpoint: EP.redis.redis_default })";

interface Nodes {
  nodes: { id: string; op: string; inputs: unknown[]; params: Record<string, unknown> }[];
  outputs: string[];
  sources: { file: string; digest: string; spans: Record<string, number[]> };
}

async function artifact(files: Record<string, string>): Promise<Nodes> {
  const plan = await lab.compile(files);
  assert.deepEqual(shortProblems(plan), []);
  return JSON.parse(plan.artifact!.text) as Nodes;
}

test("nodes are named after variables, else after their op, numbered from 2", async () => {
  const { nodes, outputs } = await artifact({ "n.plan.ts": `${HEAD}
export default definePlan({ name: "n", build: (ctx) => {
  const v = ${VIEWER};
  const branch = (of: typeof v) => { const inner = of.take({ count: 2 }).take({ count: 1 }); return inner; };
  const left = branch(v);
  const same = left;
  return [branch(v), same, v.take({ count: 3, id: "mine" }), v.take({ count: 4 })];
} });\n` });
  assert.deepEqual(nodes.map(({ id }) => id), ["v", "take", "left", "take_2", "inner", "mine", "take_3"]);
  assert.deepEqual(outputs, ["inner", "left", "mine", "take_3"]);
});

test("more nodes than the engine takes are an error at the call that makes one too many", async () => {
  const plan = await lab.build(`let rows = ${VIEWER};
for (let count = 0; count < 20000; ++count)
  rows = rows.take({ count: 1 });
return rows;`);
  assert.deepEqual(shortProblems(plan), ["6:15 too_large The plan has more than 10000 nodes"]);
});

test("a plan as large as the engine takes compiles; its nodes have names of their own", async () => {
  const plan = await lab.build(`let rows = ${VIEWER};
for (let count = 0; count < 9999; ++count) rows = rows.take({ count: 1 });
return rows;`);
  assert.deepEqual(shortProblems(plan), []);
  const { nodes } = JSON.parse(plan.artifact!.text) as Nodes;
  assert.deepEqual([nodes.length, nodes.at(-1)!.id, new Set(nodes.map(({ id }) => id)).size],
    [10_000, "take_9999", 10_000]);
});

test("an expression too deep for the compiler is a problem of its plan, not the end of dslc", async () => {
  for (const count of [1500, 20_000]) {
    const sum = Array.from({ length: count }, () => "Key.id").join(" + ");
    const rows = `return ${VIEWER}.vm({ outKey: Key.score, expr: EXPR });`;
    const [deep, fine] = await Promise.all([
      lab.compile({ "deep.plan.ts": `${HEAD}import { sum } from "./deep_sum";
export default definePlan({ name: "deep", build: (ctx) => { ${rows.replace("EXPR", "sum()")} } });\n`,
      "deep_sum.ts": `export const sum = () => ${sum};\n` }),
      lab.compile({ "fine.plan.ts": `${HEAD}
export default definePlan({ name: "fine", build: (ctx) => { ${rows.replace("EXPR", "Key.id")} } });\n` }),
    ]);
    assert.deepEqual(deep.problems.map(({ code }) => code), ["stack_limit"]);
    const { file, span } = deep.problems[0]!;
    assert.ok(file === "deep.plan.ts" || (file === "deep_sum.ts" && span![1] === 26), `${file} ${span}`);
    assert.match(deep.problems[0]!.hint!, /split a long expression over several nodes/);
    assert.deepEqual(fine.problems, []);
  }
});

test("a node's span is the call that made it, without what came before", async () => {
  const { sources } = await artifact({ "s.plan.ts": `${HEAD}
export default definePlan({ name: "s", build: (ctx) => ${VIEWER}
    .take({ count: 1 }) });\n` });
  assert.deepEqual(sources.spans, { viewer: [3, 60, 3, 104], take: [4, 6, 4, 24] });
  assert.equal(sources.file, "s.plan.ts");
});

test("a node made by a fragment of another file is placed where the plan calls it", async () => {
  const { nodes, sources } = await artifact({
    "f.plan.ts": `${HEAD}import { top } from "./lib/top";
export default definePlan({ name: "f", build: (ctx) => top(${VIEWER}, 3) });\n`,
    "lib/top.ts": `${HEAD}import data from "./data.json";
export const top = defineFragment({ name: "top", version: "1", build: (rows: any, n: number) =>
  rows.take({ count: n + data.more }) });\n`,
    "lib/data.json": '{ "more": 4 }',
  });
  assert.deepEqual(nodes[1]!.params, { count: 7 });
  assert.deepEqual(sources.spans["take"], [3, 56, 3, 112]);
});

test("the digest covers every file", async () => {
  const files = {
    "d.plan.ts": `${HEAD}import { n } from "./n.ts";
export default definePlan({ name: "d", build: (ctx) => ${VIEWER}.take({ count: n }) });\n`,
    "n.ts": "export const n = 3;\n",
  };
  const first = (await artifact(files)).sources.digest;
  const second = (await artifact({ ...files, "n.ts": "export const n = 3; // same\n" })).sources.digest;
  assert.match(first, /^sha256:[0-9a-f]{64}$/);
  assert.notEqual(first, second);
});

test("a changed file is read again", async () => {
  const text = (n: number) => `${HEAD}
export default definePlan({ name: "c", build: (ctx) => ${VIEWER}.take({ count: ${n} }) });\n`;
  assert.deepEqual((await artifact({ "c.plan.ts": text(1) })).nodes[1]!.params, { count: 1 });
  assert.deepEqual((await artifact({ "c.plan.ts": text(22) })).nodes[1]!.params, { count: 22 });
});

test("modules that import each other are refused", async () => {
  const plan = await lab.compile({
    "x.plan.ts": 'import { a } from "./a";\nexport default a;\n',
    "a.ts": 'import { b } from "./b";\nexport const a = b;\n',
    "b.ts": 'import { a } from "./a";\nexport const b = a;\n',
  });
  assert.deepEqual(plan.problems.map(({ file, span, message }) => `${file}:${span?.join(":")} ${message}`),
    ["b.ts:1:19:1:24 Modules import each other in a circle: a.ts → b.ts → a.ts"]);
});

test("what a plan throws is placed in its source", async () => {
  const plan = await lab.build('const limits: any = {};\n  limits.max.value;\n  return ctx;');
  assert.deepEqual(shortProblems(plan), ["5:10 exception TypeError: cannot read property 'value' of undefined"]);
});

test("what an imported file throws is placed there", async () => {
  const plan = await lab.compile({
    "t.plan.ts": `${HEAD}import { f } from "./t";\nexport default definePlan({ name: "t", build: () => f() });\n`,
    "t.ts": 'export function f(): never {\n  throw new RangeError("no");\n}\n',
  });
  assert.deepEqual(plan.problems.map(({ file, span, message }) => `${file}:${span?.[0]}:${span?.[1]} ${message}`),
    ["t.ts:2:13 RangeError: no"]);
});

test("several problems come at once", async () => {
  const plan = await lab.build(`const v = ${VIEWER};
  v.take({ count: "x", cuont: 1 });
  return v.vm({ outKey: Key.scroe, expr: P.wieght });`);
  assert.deepEqual(plan.problems.map(({ code }) => code).sort(),
    ["unknown_key", "unknown_name", "unknown_param", "wrong_type"]);
});

test("problems of one kind at one place are all reported", async () => {
  const plan = await lab.build(`return ${VIEWER}.lookup({});`);
  assert.deepEqual(plan.problems.map(({ message }) => message),
    ["endpoint", "prefix", "outKey"].map((name) => `Missing param of lookup: ${name}`));
});

test("every version of a fragment can be compiled", async () => {
  const files = { "v.plan.ts": `${HEAD}
const cut = defineFragment({ name: "cut", version: "1", build: (rows: any) => rows.take({ count: 1 }),
  versions: { "2": (rows: any) => rows.take({ count: 2 }) } });
export default definePlan({ name: "v", build: (ctx) => cut(${VIEWER}) });\n` };
  const counts = await Promise.all([undefined, { cut: "2" }].map(async (chosen) => {
    const { draft } = await lab.compile(files, chosen);
    return [draft!.fragments![0]!.version, (draft!.nodes[1]!.params["count"] as { json: number }).json];
  }));
  assert.deepEqual(counts, [["1", 1], ["2", 2]]);
});
