// For tests: plans made of the shipped registry's tasks, run as the sandbox runs them.
import "./shipped_bindings.ts";
import assert from "node:assert/strict";
import type { DraftError, DraftPlan } from "../exchange/draft.ts";
import { definePlan, EP } from "./index.ts";
import { run } from "./plan.ts";

export type Rows = Record<string, (given?: unknown) => Rows>;
export type Context = Rows;
export type Build = (ctx: Context) => unknown;

export const endpoint = (EP.redis as Record<string, unknown>).redis_default;

export function result(
  build: Build,
  more: object = {},
  chosen = {},
): { plan?: DraftPlan; errors?: DraftError[] } {
  return JSON.parse(run(definePlan({ name: "p", build, ...more }), chosen)) as never;
}

export function planOf(build: Build, more: object = {}, chosen = {}): DraftPlan {
  const { plan, errors } = result(build, more, chosen);
  assert.deepEqual(errors, undefined);
  return plan!;
}

/** All problems as `code: message`. */
export function problems(build: Build, more: object = {}): string[] {
  return (result(build, more).errors ?? []).map(({ code, message }) => `${code}: ${message}`);
}

/** The problems of adding one more node to rows with stored keys. */
export function problemsOf(method: string, given?: unknown): string[] {
  return problems((ctx) => ctx.viewer!({ endpoint })[method]!(given));
}
