// Plans that try to leave the sandbox, to exhaust it, or to observe something that differs from one
// build to the next.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { LIMITS } from "../sandbox/sandbox.ts";
import { PlanFixture, shortProblems } from "./plan_fixture.ts";

const lab = new PlanFixture({ ...LIMITS, memoryBytes: 8 << 20, steps: 1_000 });
// Only the time limit ends what QuickJS cannot interrupt, so that limit is short here.
const hasty = new PlanFixture({ ...LIMITS, milliseconds: 300 });
after(() => Promise.all([lab.close(), hasty.close()]));

const SOUND = "return ctx.viewer({ endpoint: EP.redis.redis_default });";

async function problems(body: string, before = ""): Promise<string[]> {
  return shortProblems(await lab.build(`${body}\n${SOUND}`, before));
}

/** Builds a plan whose name is the value of `expression`, to show what a plan can observe. */
async function seen(expression: string): Promise<string> {
  const plan = await lab.compile({ "s.plan.ts": 'import { definePlan } from "@millrace/dsl";\n' +
    `export default definePlan({ name: String(${expression}), build: (ctx) => { ${SOUND} } });\n` });
  return plan.draft?.name ?? shortProblems(plan).join("; ");
}

test("an endless loop ends, with its place", async () => {
  assert.match((await problems("let n = 0;\nwhile (true) { n = n + 1; }"))[0]!,
    /^5:\d+ time_limit The plan does not end$/);
});

test("an endless loop inside a built-in function ends", async () => {
  const plan = await hasty.build(`Array.prototype.indexOf.call({ length: 2 ** 50 }, 1);\n${SOUND}`);
  assert.deepEqual(shortProblems(plan), ["1:1 time_limit The plan does not end"]);
  assert.deepEqual(shortProblems(await hasty.build(SOUND)), [], "and the next plan is built");
});

test("a regex that takes for ever ends", async () => {
  assert.match((await problems('/(a+)+$/.exec("a".repeat(60) + "b");'))[0]!, /time_limit/);
});

test("a memory bomb ends", async () => {
  assert.match((await problems("const all = [];\nfor (;;) all.push({ size: 1 });"))[0]!,
    /^5:\d+ memory_limit The plan needs too much memory to build$/);
  assert.match((await problems('let s = "x";\nfor (;;) s += s;'))[0]!, /memory_limit|exception/);
  assert.match((await problems("new Uint8Array(1e9);"))[0]!, /memory_limit|exception/);
  assert.deepEqual(await problems(""), [], "and the next plan is built");
});

test("deep recursion ends, with its place", async () => {
  assert.match((await problems("const f = (n) => f(n + 1) + 1;\nf(0);"))[0]!,
    /^4:\d+ stack_limit A call or an expression of the plan goes too deep$/);
  assert.match((await problems('JSON.parse("[".repeat(100000));'))[0]!, /stack_limit|exception/);
  assert.match((await problems('new RegExp("(".repeat(100000));'))[0]!, /stack_limit|exception/);
});

test("catching what ends a plan does not keep it running", async () => {
  assert.match((await problems("for (;;) { try { for (;;) {} } catch {} }"))[0]!, /time_limit/);
  const stubborn = "const f = () => { try { return f(); } catch { return f(); } }; for (;;) f();";
  assert.match(shortProblems(await hasty.build(`${stubborn}\n${SOUND}`))[0]!, /time_limit/);
});

const ABSENT = ["process", "require", "module", "fetch", "XMLHttpRequest", "setTimeout", "setInterval",
  "console", "performance", "WebAssembly", "Worker", "Deno", "Bun", "std", "os", "global", "window",
  "SharedArrayBuffer", "Atomics", "crypto", "navigator"];

for (const name of ABSENT) {
  test(`there is no ${name}`, async () => {
    // `require` and `module` are parameters of the wrapper around a module, so ask the global
    // object for them.
    const typeOf = name === "require" || name === "module" ? `globalThis.${name}` : name;
    assert.equal(await seen(`typeof ${typeOf}`), "undefined");
  });
}

const REFUSED: readonly [what: string, code: string, name: string][] = [
  ["the clock", "Date.now()", "Date is not available"],
  ["a new date", "new Date()", "Date is not available"],
  ["chance", "Math.random()", "Math.random is not available"],
  ["eval", 'eval("1")', "eval is not available"],
  ["indirect eval", '(0, eval)("1")', "eval is not available"],
  ["Function", 'new Function("return 1")', "Function is not available"],
  ["a constructor chain", '(() => 1).constructor("return this")()', "Function is not available"],
  ["a longer chain", '[].map.constructor.constructor("return process")()', "Function is not available"],
  ["the chain of a generator", '(function* () {}).constructor("yield 1")', "Function is not available"],
  ["the chain of an async function", '(async () => 1).constructor("1")', "Function is not available"],
  ["the chain through a hook", '__mr_bin.constructor("return this")()', "Function is not available"],
  ["the chain through an error",
    'try { null.x } catch (e) { e.constructor.constructor("return process")() }', "Function is not available"],
  ["the chain through a builder", 'ctx.viewer.constructor("return this")()', "Function is not available"],
  ["WeakRef", "new WeakRef({})", "WeakRef is not available"],
];

for (const [what, code, message] of REFUSED) {
  test(`refused: ${what}`, async () => {
    const [problem] = await problems(code);
    assert.match(problem!, new RegExp(`^4:\\d+ not_available ${message}`));
  });
}

const FROZEN: readonly [what: string, code: string][] = [
  ["Object.prototype", 'Object.prototype.toJSON = () => "x"'],
  ["Array.prototype", "Array.prototype.map = () => []"],
  ["a prototype by __proto__", '({}).__proto__.polluted = 1'],
  ["a prototype by setPrototypeOf", "Object.setPrototypeOf(Array.prototype, {})"],
  ["Function.prototype", "Object.getPrototypeOf(() => 1).call = () => 1"],
  ["a class", "Map.groupBy = () => 1; Promise.resolve = () => 1"],
  ["JSON", 'JSON.stringify = () => "{}"'],
  ["Map.prototype", "Map.prototype.get = () => 1"],
  ["an iterator", "Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true })"],
  ["Symbol.toPrimitive of keys", "Key.id[Symbol.toPrimitive] = () => 1"],
  ["the builder", "Object.getPrototypeOf(ctx.viewer({ endpoint: EP.redis.redis_default })).take = 1"],
  ["a hook", "globalThis.__mr_bin = () => 1"],
  ["the run", "globalThis.__mr_run = () => '{}'"],
  ["the loader", "globalThis.__mr_main = () => '{}'"],
  ["Key", "globalThis.Key = {}"],
];

for (const [what, code] of FROZEN) {
  test(`cannot be changed: ${what}`, async () => {
    assert.match((await problems(code))[0] ?? "nothing happened", /^4:\d+ (exception|read_only)/);
  });
}

test("what a plan makes of its own result is not believed", async () => {
  const plan = await lab.compile({ "forged.plan.ts":
    'export default { toString() { return "x"; }, build() {}, name: "x" };\n' });
  assert.deepEqual(shortProblems(plan), ["1:1 no_plan The default export is not a plan"]);
});

test("a plan sees nothing of the machine", async () => {
  const stack = await seen("new Error('x').stack");
  assert.ok(!stack.includes(lab.root), stack);
  assert.match(await seen('Object.getOwnPropertyNames(globalThis).join(" ")'), /__mr_at/);
});

test("nothing outside the project is imported", async () => {
  const import_ = (from: string) => lab.compile({ "i.plan.ts": `import x from "${from}";\nx;\n` });
  for (const from of ["node:fs", "fs", "esbuild", "/etc/passwd", "https://example.com/x.ts"]) {
    assert.deepEqual(shortProblems(await import_(from)), [`1:15 bad_import A plan cannot import \`${from}\``]);
  }
  assert.match(shortProblems(await import_("../../../../../../etc/hostname"))[0]!, /^1:15 bad_import/);
});
