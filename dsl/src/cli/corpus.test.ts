// Wrong plans, each with the expected problems: lines `//! LINE:COLUMN CODE MESSAGE` at its end.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { REPOSITORY, shortProblems } from "../compile/plan_fixture.ts";
import { packageFolder } from "../dist_folder.ts";
import { findProject, findRankd } from "./project.ts";
import { sorted } from "./report.ts";
import { Session, type BuiltPlan } from "./session.ts";

const CORPUS = join(packageFolder(), "tests/corpus");
const project = findProject(REPOSITORY);
const skip = findRankd(project) === undefined && "needs rankd";
const names = readdirSync(CORPUS).filter((name) => name.endsWith(".plan.ts")).sort();
const built = new Map<string, BuiltPlan>();

before(async () => {
  if (skip) return;
  const session = new Session(project, {});
  const { plans } = await session.build(names.map((name) => join(CORPUS, name)));
  plans.forEach((plan, index) => built.set(names[index]!, plan));
  await session.close();
});

test("there are at least thirty", () => assert.ok(names.length >= 30));

for (const name of names) {
  test(`${name} gets its messages at their places`, { skip }, () => {
    const text = readFileSync(join(CORPUS, name), "utf8");
    const expected = [...text.matchAll(/^\/\/! (.*)$/gm)].map(([, line]) => line!);
    assert.ok(expected.length > 0, "the file says what is expected");
    const { problems, ok } = built.get(name)!;
    assert.deepEqual(shortProblems({ problems: sorted(problems) }), expected);
    assert.equal(ok, false);
  });
}

after(() => built.clear());
