import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { PlanFixture, shortProblems } from "../compile/plan_fixture.ts";
import type { BuildResult } from "./session.ts";
import { Watcher } from "./watch_command.ts";

const lab = new PlanFixture();
const plan = (name: string, count: string) => `import { definePlan } from "@millrace/dsl";
import { more } from "../lib/more";
export default definePlan({ name: "${name}", build: (ctx) =>
  ctx.viewer({ endpoint: EP.redis.redis_default }).take({ count: ${count} + more }) });\n`;

lab.write({ "plans/a.plan.ts": plan("a", "1"), "plans/b.plan.ts": plan("b", "2"),
  "lib/more.ts": "export const more = 0;\n" });

let heard: (result: BuildResult) => void = () => {};
const watcher = new Watcher(lab.project, [], { withoutEngine: true }, (result) => heard(result),
  (error) => assert.fail(String(error)));
after(async () => {
  await watcher.close();
  await lab.close();
});

/** Gives the result of the next build, after making this change. */
function buildAfter(change: () => unknown): Promise<BuildResult> {
  return new Promise((resolve) => {
    heard = resolve;
    change();
  });
}

const built = (result: BuildResult) => result.plans.map(({ plan }) => plan.draft?.name ?? "-");
const count = (name: string) => (JSON.parse(readFileSync(join(lab.root, `plans/${name}.plan.json`), "utf8")) as
  { nodes: { params: { count: number } }[] }).nodes[1]!.params.count;

test("all plans are built first", async () => {
  assert.deepEqual(built(await buildAfter(() => watcher.start())), ["a", "b"]);
  assert.deepEqual([count("a"), count("b")], [1, 2]);
});

test("a change builds the plan that it concerns", async () => {
  assert.deepEqual(built(await buildAfter(() => lab.write({ "plans/a.plan.ts": plan("a", "10") }))), ["a"]);
  assert.deepEqual([count("a"), count("b")], [10, 2]);
});

test("a change of an imported file builds all that import it", async () => {
  assert.deepEqual(built(await buildAfter(() => lab.write({ "lib/more.ts": "export const more = 5;\n" }))),
    ["a", "b"]);
  assert.deepEqual([count("a"), count("b")], [15, 7]);
});

test("a plan with an error keeps its last artifact and is built again when it is mended", async () => {
  const broken = await buildAfter(() => lab.write({ "plans/a.plan.ts": plan("a", "Key.scroe") }));
  assert.match(shortProblems(broken.plans[0]!)[0]!, /^4:\d+ unknown_key/);
  assert.equal(count("a"), 15);
  await buildAfter(() => lab.write({ "plans/a.plan.ts": plan("a", "3") }));
  assert.equal(count("a"), 8);
});

test("an imported file may go and come back", async () => {
  const gone = await buildAfter(() => rmSync(join(lab.root, "lib/more.ts")));
  assert.deepEqual(shortProblems(gone.plans[0]!), ["2:22 bad_import There is no file `../lib/more`"]);
  const back = await buildAfter(() => lab.write({ "lib/more.ts": "export const more = 1;\n" }));
  assert.deepEqual(back.plans.map(({ ok }) => ok), [true, true]);
});

test("a file that was never there may come", async () => {
  const text = plan("a", "1").replace("../lib/more", "../lib/later");
  const missing = await buildAfter(() => lab.write({ "plans/a.plan.ts": text }));
  assert.deepEqual(shortProblems(missing.plans[0]!), ["2:22 bad_import There is no file `../lib/later`"]);
  await buildAfter(() => lab.write({ "lib/later.ts": "export const more = 20;\n" }));
  assert.equal(count("a"), 21);
});

test("a new plan is noticed", async () => {
  assert.deepEqual(built(await buildAfter(() => lab.write({ "plans/c.plan.ts": plan("c", "1") }))), ["c"]);
});

test("a change of the registry builds all", async () => {
  const keys = readFileSync(join(lab.root, "registry/keys.toml"), "utf8");
  const result = await buildAfter(() => lab.write({ "registry/keys.toml": `${keys}\n[keys.fresh]\ntype = "int"\n` }));
  assert.deepEqual(built(result), ["a", "b", "c"]);
});
