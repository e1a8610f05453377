// Plans on the real engine: a plan that compiles also loads; an error at run time names its place
// in the source.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { PlanFixture, REPOSITORY, shortProblems } from "../compile/plan_fixture.ts";
import { removeStaleVariants, writeTarget, writeTargets } from "./output.ts";
import { findPlans, findProject, findRankd } from "./project.ts";
import { Session, type BuildResult } from "./session.ts";

const rankd = findRankd(findProject(REPOSITORY));
const skip = rankd === undefined && "needs rankd";
const lab = new PlanFixture();
lab.write({ "data/demo.redis": "HSET user:1 name Ada\n" });
after(() => lab.close());

async function build(): Promise<BuildResult> {
  const session = new Session(lab.project, rankd === undefined ? {} : { rankd });
  const result = await session.build(findPlans(lab.project, []));
  await session.close();
  result.plans.forEach(writeTarget);
  removeStaleVariants(result.plans);
  return result;
}

interface Answer {
  plan: { name: string };
  candidates: { id: number; fields: Record<string, unknown> }[];
  error: { code: string; message: string; node?: string; source?: string };
}

function ask(plan: string, request: object): Answer {
  const { stdout, stderr } = spawnSync(rankd!, ["--root", lab.root, "--plan_name", plan],
    { input: `${JSON.stringify({ user_id: 1, ...request })}\n`, encoding: "utf8" });
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout) as Answer;
}

const HEAD = 'import { definePlan, defineFragment } from "@millrace/dsl";\n';

test("a node that fails while it runs names its place in the source", { skip }, async () => {
  lab.write({ "plans/fails.plan.ts": `${HEAD}
export default definePlan({
  name: "fails",
  build: (ctx) => {
    const rows = ctx.fixedSource({ rowCount: 3 });
    return rows
      .take({ count: 2 })
      .sleep({ durationMs: 1, failAfterSleep: true });
  },
});\n` });
  assert.deepEqual((await build()).plans.flatMap(({ problems }) => problems), []);
  const { error } = ask("fails", {});
  assert.deepEqual([error.code, error.node, error.source], ["node_failed", "sleep", "fails.plan.ts:9:8"]);
});

test("an engine that hangs is ended, together with the wait for what it started", async () => {
  const engine = join(lab.root, "hanging_engine");
  writeFileSync(engine, '#!/bin/sh\n[ "$1" = --help ] || sleep 600\n', { mode: 0o755 });
  lab.write({ "plans/waits.plan.ts": `${HEAD}
export default definePlan({ name: "waits", build: (ctx) => ctx.fixedSource({ rowCount: 3 }) });\n` });
  const session = new Session(lab.project, { rankd: engine, engineMs: 50 });
  await assert.rejects(session.build([join(lab.root, "plans/waits.plan.ts")]),
    /hanging_engine check gave no answer within 0\.05 s and was ended; --engine-timeout /);
  await session.close();
});

test("an artifact that cannot be written is a problem of its plan and leaves nothing behind", { skip }, async () => {
  const source = (name: string) => `${HEAD}
export default definePlan({ name: "${name}", build: (ctx) => ctx.fixedSource({ rowCount: 3 }) });\n`;
  lab.write({ "blocked/a.plan.ts": source("a"), "blocked/b.plan.ts": source("b"), "blocked/a.plan.json/x": "" });
  const session = new Session(lab.project, { withoutEngine: true });
  const built = await session.build(findPlans(lab.project, [join(lab.root, "blocked")]));
  await session.close();
  const { result } = writeTargets(built);
  assert.deepEqual(result.plans.map(({ ok, problems }) => [ok, ...problems.map(({ code }) => code)]),
    [[false, "cannot_write"], [true]]);
  assert.deepEqual(readdirSync(join(lab.root, "blocked")),
    ["a.plan.json", "a.plan.ts", "b.plan.json", "b.plan.ts"]);
});

test("two plans of one name are reported once, by the names of their sources", { skip }, async () => {
  const source = `${HEAD}
export default definePlan({ name: "twin", build: (ctx) => ctx.fixedSource({ rowCount: 3 }) });\n`;
  lab.write({ "twins/a.plan.ts": source, "twins/b.plan.ts": source });
  const session = new Session(lab.project, rankd === undefined ? {} : { rankd });
  const { plans } = await session.build(findPlans(lab.project, [join(lab.root, "twins")]));
  await session.close();
  const problems = plans.flatMap((plan) => plan.problems);
  assert.deepEqual(problems.map(({ code, file }) => `${code} ${file.endsWith("b.plan.ts")}`), ["duplicate_plan true"]);
  assert.match(problems[0]!.message, /^The plan `twin` is also in .*a\.plan\.ts$/);
});

test("a row error that fails its node names the place, too", { skip }, async () => {
  lab.write({ "plans/overflows.plan.ts": `${HEAD}
export default definePlan({ name: "overflows", build: (ctx) =>
  ctx.fixedSource({ rowCount: 3 }).vm({ outKey: Key.score, onRowError: "fail",
    expr: (Key.id + 9223372036854775807) * 1.0 }) });\n` });
  assert.deepEqual((await build()).plans.flatMap(({ problems }) => problems), []);
  assert.equal(ask("overflows", {}).error.source, "overflows.plan.ts:4:36");
});

const VERSIONS = (more: string) => `${HEAD}
const cut = defineFragment({ name: "cut", version: "1",
  build: (rows: any, n: number) => rows.take({ count: n }),
  versions: { "2": (rows: any, n: number) => rows.skip({ count: n }).take({ count: n }) } });
const mark = defineFragment({ name: "mark", version: "a",
  build: (rows: any) => rows.vm({ outKey: Key.score, expr: Key.id * 1.0 })${more} });
export default definePlan({ name: "versions", outputKeys: [Key.id, Key.score], build: (ctx) =>
  mark(cut(ctx.fixedSource({ rowCount: 5 }), 2)) });\n`;

test("a request chooses the versions of fragments", { skip }, async () => {
  lab.write({ "plans/versions.plan.ts":
    VERSIONS(',\n  versions: { b: (rows: any) => rows.vm({ outKey: Key.score, expr: Key.id * 10.0 }) }') });
  const { plans } = await build();
  assert.deepEqual(plans.flatMap((plan) => shortProblems(plan)), []);
  const rows = (versions: object) => {
    const { plan, candidates } = ask("versions", { fragment_versions: versions });
    return [plan.name, ...candidates.map(({ id, fields }) => `${id}:${String(fields["score"])}`)];
  };
  assert.deepEqual(rows({}), ["versions", "1:1", "2:2"]);
  assert.deepEqual(rows({ cut: "1" }), ["versions", "1:1", "2:2"]);
  assert.deepEqual(rows({ cut: "2" }), ["versions@cut=2", "3:3", "4:4"]);
  assert.deepEqual(rows({ mark: "b" }), ["versions@mark=b", "1:10", "2:20"]);
  assert.deepEqual(rows({ mark: "b", cut: "2" }), ["versions@cut=2,mark=b", "3:30", "4:40"]);
  assert.equal(ask("versions", { fragment_versions: { cut: "7" } }).error.code, "unknown_version");
});

test("variants that are gone are removed", { skip }, async () => {
  lab.write({ "plans/versions.plan.ts": VERSIONS("") });
  await build();
  assert.deepEqual(readdirSync(join(lab.root, "plans")).filter((name) => name.startsWith("versions")),
    ["versions.plan.json", "versions.plan.ts", "versions@cut=2.plan.json"]);
});

test("a version that a plan pins cannot be chosen", { skip }, async () => {
  lab.write({ "plans/versions.plan.ts": VERSIONS("").replace("mark(cut(", 'mark(cut.version("1")(') });
  await build();
  assert.ok(!existsSync(join(lab.root, "plans/versions@cut=2.plan.json")));
});

test("versions cannot name files elsewhere, nor be too many", { skip }, async () => {
  const fragment = (versions: string) => `${HEAD}
const f = defineFragment({ name: "f", version: "1", build: (rows: any) => rows.take({ count: 1 }),
  versions: ${versions} });
export default definePlan({ name: "versions", build: (ctx) => f(ctx.fixedSource({ rowCount: 5 })) });\n`;
  const problems = async (versions: string) => {
    lab.write({ "plans/versions.plan.ts": fragment(versions) });
    return (await build()).plans.flatMap((plan) => shortProblems(plan));
  };
  assert.deepEqual(await problems('{ "../../x": (rows: any) => rows }'),
    ['1:1 bad_name Not a name or version of a fragment: "../../x"']);
  assert.deepEqual(await problems("Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`v${n}`, (r: any) => r]))"),
    ["1:1 too_many_variants The plan's fragments can be chosen in 65 other ways; at most 64"]);
});

test("a problem of one variant says which", { skip }, async () => {
  lab.write({ "plans/versions.plan.ts": VERSIONS("").replace("rows.skip({ count: n })", "rows.filter({ pred: Key.id + 1 })") });
  const { plans } = await build();
  assert.deepEqual(plans.filter(({ ok }) => !ok).flatMap((plan) => shortProblems(plan)),
    ["5:66 bad_expression The expression is int, but bool is needed (with cut=2)"]);
});
