import assert from "node:assert/strict";
import { after, test } from "node:test";
import { LIMITS, Sandbox } from "./sandbox.ts";

const PRELUDE = [{ name: "prelude", code: "var ready = 1;" }];
const limits = { ...LIMITS, steps: 200, memoryBytes: 20 << 20 };
const sandbox = new Sandbox(PRELUDE, limits);
after(() => sandbox.close());
const run = (...codes: string[]) => sandbox.run(codes.map((code, index) => ({ name: `s${index}`, code })));

test("the value of the last script is the result, after the prelude", async () => {
  assert.deepEqual(await run("ready += 1", "String(ready)"), { kind: "text", text: "2" });
});

test("every run has a world of its own", async () => {
  assert.deepEqual(await run("globalThis.left = 1; ''"), { kind: "text", text: "" });
  assert.deepEqual(await run("typeof left + ready"), { kind: "text", text: "undefined1" });
});

test("runs that are asked for together come one after another, each with its own answer", async () => {
  const all = await Promise.all(["a", "b", "c"].map((letter) => run(`"${letter}"`)));
  assert.deepEqual(all.map((outcome) => outcome.kind === "text" && outcome.text), ["a", "b", "c"]);
});

test("limits", async () => {
  const limit = async (code: string) => {
    const outcome = await run(code);
    return outcome.kind === "limit" ? outcome.limit : JSON.stringify(outcome);
  };
  assert.equal(await limit("for (;;);"), "time");
  assert.equal(await limit("const all = []; for (;;) all.push({});"), "memory");
  assert.equal(await limit("const f = () => f() + 1; f();"), "stack");
});

test("large arrays and strings count with their size", async () => {
  // Each of these takes a MiB or more; the instance has 20 MiB in all.
  const pieces = ["new Uint8Array(1 << 20)", "new Array(131072).fill(1)", '(count + "x").repeat(1 << 20)'];
  for (const piece of pieces) {
    const outcome = await run(`let count = 0; let all = [];
      try { for (;;) { all.push(${piece}); ++count; } } catch {} all = null; String(count)`);
    assert.equal(outcome.kind, "text", piece);
    const count = Number(outcome.kind === "text" && outcome.text);
    assert.ok(count > 0 && count < 20, `${piece}: ${count} fit`);
    assert.deepEqual(await run(`const all = []; let count = 0; for (;;) { all.push(${piece}); ++count; }`)
      .then((ended) => ended.kind === "limit" && ended.limit), "memory", piece);
  }
});

test("what QuickJS cannot interrupt ends by the clock, and the next run gets a new thread", async () => {
  const hasty = new Sandbox(PRELUDE, { ...limits, milliseconds: 100 });
  const outcome = await hasty.run([{ name: "s", code: "Array.prototype.indexOf.call({ length: 2 ** 50 }, 1);" }]);
  assert.deepEqual(outcome, { kind: "limit", limit: "time", stack: "" });
  assert.equal((await hasty.run([{ name: "s", code: '"fine"' }])).kind, "text");
  await hasty.close();
});

test("what is no script is said to be broken", async () => {
  const outcome = await run("this is no script");
  assert.equal(outcome.kind, "broken");
});

test("after all of that it still works", async () => {
  assert.deepEqual(await run('"fine"'), { kind: "text", text: "fine" });
});
