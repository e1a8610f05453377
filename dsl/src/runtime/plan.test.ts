import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoint, planOf, type Context } from "./plan_fixture.ts";
import type { DraftError } from "../exchange/draft.ts";
import { definePlan, E, Key } from "./index.ts";
import { run } from "./plan.ts";

test("plans say what they lack", () => {
  assert.deepEqual(JSON.parse(run(undefined)), {
    errors: [
      {
        code: "no_plan",
        message: "The default export is not a plan",
        site: 0,
        hint: "write `export default definePlan({ name, build })`",
      },
    ],
  });
  const errors = (spec: object): string[] =>
    (JSON.parse(run(definePlan(spec))) as { errors: DraftError[] }).errors.map(({ code }) => code);
  assert.deepEqual(errors({}), ["missing_field", "missing_field"]);
  assert.deepEqual(errors({ name: "p", biuld: 1, build: () => [] }), [
    "unknown_field",
    "no_output",
  ]);
  assert.deepEqual(
    errors({ name: 1, version: 1.5, reserveMs: 0, build: () => [], outputKeys: 1 }),
    ["wrong_type", "wrong_type", "bad_timeout", "no_output", "wrong_type"],
  );
  assert.deepEqual(errors({ name: "p", build: async () => [] }), ["wrong_type"]);
});

test("a plan cannot change what later plans are made with", () => {
  planOf((ctx) => {
    const rows = ctx.fixedSource!();
    for (const target of [
      ctx,
      rows,
      Object.getPrototypeOf(rows) as object,
      Key.score!,
      Object.getPrototypeOf(Key.score) as object,
      endpoint as object,
      E,
      definePlan,
      Object.getPrototypeOf(definePlan({})) as object,
    ]) {
      assert.ok(Object.isFrozen(target));
    }
    return rows;
  });
});

test("nodes are made inside build only", () => {
  let kept: Context = {};
  planOf((ctx) => (kept = ctx).fixedSource!());
  assert.throws(() => kept.fixedSource!(), { code: "outside_build" });
});
