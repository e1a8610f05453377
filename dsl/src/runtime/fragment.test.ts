import assert from "node:assert/strict";
import { test } from "node:test";
import { planOf, problems, type Build, type Rows } from "./plan_fixture.ts";
import { defineFragment } from "./index.ts";

test("DSL5: nodes remember the call and its version", () => {
  const top = defineFragment({
    name: "top",
    version: "2",
    build: (rows: Rows, count: number) => rows.take!({ count }),
    versions: { 1: (rows: Rows) => rows.take!({ count: 1 }) },
  }) as ((rows: Rows, count: number) => Rows) & {
    version(v: string): (rows: Rows, count: number) => Rows;
  };
  const build: Build = (ctx) => top(ctx.fixedSource!(), 7);
  const plan = planOf(build);
  assert.deepEqual(plan.nodes[1]!.calls, [{ fragment: "top", version: "2", site: 0 }]);
  assert.deepEqual(plan.nodes[1]!.params, { count: { json: 7, site: 0 } });
  assert.deepEqual(plan.fragments, [{ name: "top", version: "2", versions: ["2", "1"] }]);
  assert.deepEqual(planOf(build, {}, { top: "1" }).nodes[1]!.params, {
    count: { json: 1, site: 0 },
  });
  assert.deepEqual(
    planOf((ctx) => top.version("1")(ctx.fixedSource!(), 7)).nodes[1]!.calls[0]!.version,
    "1",
  );
  assert.deepEqual(
    problems((ctx) => top.version("3")(ctx.fixedSource!(), 7)),
    ["unknown_version: The fragment top has no version 3"],
  );
  assert.deepEqual(
    problems((ctx) => top(ctx.fixedSource!(), undefined as never)),
    ["undefined_value: Argument 2 of the fragment top is undefined"],
  );
});

test("DSL5: fragments that use each other in a circle are refused", () => {
  type F = (rows: Rows) => Rows;
  const first: F = defineFragment({
    name: "first",
    version: "1",
    build: (rows: Rows) => second(rows),
  }) as F;
  const second: F = defineFragment({
    name: "second",
    version: "1",
    build: (rows: Rows) => first(rows),
  }) as F;
  assert.deepEqual(
    problems((ctx) => first(ctx.fixedSource!())),
    ["cycle: Fragments use each other in a circle: first → second → first"],
  );
});

test("DSL5: a plan may choose versions for all of its fragments", () => {
  const one = defineFragment({
    name: "one",
    version: "2",
    build: (rows: Rows) => rows.take!({ count: 2 }),
    versions: { 1: (rows: Rows) => rows.take!({ count: 1 }) },
  }) as (rows: Rows) => Rows;
  const build: Build = (ctx) => one(ctx.fixedSource!());
  const versions = (more: object, chosen = {}): string | undefined =>
    planOf(build, more, chosen).nodes[1]!.calls[0]!.version;
  assert.equal(versions({}), "2");
  assert.equal(versions({ fragments: { one: "1" } }), "1");
  assert.equal(versions({ fragments: { one: "1" } }, { one: "2" }), "2");
  assert.deepEqual(problems(build, { fragments: { one: "1", toString: "1" } }), [
    "unknown_version: The plan uses no fragment 'toString'",
  ]);
  assert.deepEqual(problems(build, { fragments: { one: 1 } }), [
    "wrong_type: fragments.one: expected a string, found a number",
  ]);
  assert.deepEqual(problems(build, { fragments: [] }), [
    "wrong_type: fragments: expected an object, found a list",
  ]);
});

test("DSL5: a call that names its version does not hide what a request can choose", () => {
  const cut = defineFragment({
    name: "cut",
    version: "2",
    build: (rows: Rows) => rows.take!({ count: 2 }),
    versions: { 1: (rows: Rows) => rows.take!({ count: 1 }) },
  }) as ((rows: Rows) => Rows) & { version(v: string): (rows: Rows) => Rows };
  const versions = (build: Build, chosen = {}): string[] =>
    planOf(build, {}, chosen).fragments!.map(({ version }) => version);
  const both: Build = (ctx) => [cut(ctx.fixedSource!()), cut.version("1")(ctx.fixedSource!())];
  assert.deepEqual(versions(both), ["2"]);
  assert.deepEqual(versions(both, { cut: "1" }), ["1"]);
  assert.deepEqual(
    versions((ctx) => cut.version("1")(ctx.fixedSource!()), { cut: "2" }),
    ["1"],
  );
});

test("two fragments of one name are refused", () => {
  const make = (): ((rows: Rows) => Rows) =>
    defineFragment({ name: "same", version: "1", build: (rows: Rows) => rows }) as never;
  const [first, second] = [make(), make()];
  assert.deepEqual(
    problems((ctx) => second(first(ctx.fixedSource!()))),
    ["bad_name: Two fragments have the name same"],
  );
});
