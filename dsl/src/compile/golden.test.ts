// The plans of the first design of the language, compared with their stored artifacts byte for
// byte.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { findProject } from "../cli/project.ts";
import { currentTypes } from "../cli/types.ts";
import { packageFolder } from "../dist_folder.ts";
import { Compiler } from "./compiler.ts";
import { PlanFixture, REPOSITORY } from "./plan_fixture.ts";

const GOLDEN = join(packageFolder(), "tests/golden");
const project = findProject(REPOSITORY);
const { bindings } = currentTypes(project, undefined);
const compiler = new Compiler({ root: project.root, bindings });
after(() => compiler.close());

const plans = readdirSync(GOLDEN).filter((name) => name.endsWith(".plan.ts")).sort();

test("there are six", () => assert.equal(plans.length, 6));

for (const name of plans) {
  test(`${name} compiles to its golden artifact`, async () => {
    const { artifact, problems } = await compiler.compile({ path: join(GOLDEN, name) });
    assert.deepEqual(problems, []);
    assert.equal(artifact!.text, readFileSync(join(GOLDEN, name.replace(/\.ts$/, ".json")), "utf8"));
  });
}

test("the same sources give the same bytes: again, elsewhere, in another order", async () => {
  const lab = new PlanFixture();
  try {
    for (const name of [...plans].reverse()) {
      const text = readFileSync(join(GOLDEN, name), "utf8");
      const golden = readFileSync(join(GOLDEN, name.replace(/\.ts$/, ".json")), "utf8");
      for (let time = 0; time < 2; ++time) {
        assert.equal((await lab.compile({ [name]: text })).artifact!.text, golden);
      }
    }
    const together = await Promise.all(plans.map((name) => compiler.compile({ path: join(GOLDEN, name) })));
    together.forEach((plan, index) => assert.equal(plan.artifact!.text,
      readFileSync(join(GOLDEN, plans[index]!.replace(/\.ts$/, ".json")), "utf8")));
  } finally {
    await lab.close();
  }
});

test("what a plan computes does not depend on when and where", async () => {
  const lab = new PlanFixture();
  const body = `const all: string[] = [];
  for (const key of Object.keys({ b: 1, a: 2, 3: 3, 1: 4 })) all.push(key);
  [5, 3, 9, 1].sort((a, b) => a - b).forEach((n) => all.push(String(n / 7)));
  all.push(typeof Intl, (0.1).toLocaleString(), "ä".localeCompare("z") > 0 ? "after" : "before");
  return ctx.viewer({ endpoint: EP.redis.redis_default, id: all.join("_") });`;
  const texts = new Set<string>();
  try {
    for (const [zone, language] of [["UTC", "C"], ["Asia/Tokyo", "de_DE.UTF-8"]] as const) {
      process.env["TZ"] = zone;
      process.env["LANG"] = language;
      texts.add((await lab.build(body)).artifact!.text);
    }
    assert.equal(texts.size, 1);
  } finally {
    await lab.close();
  }
});
