// Compiles every expression and plan of the guides and checks its artifact and its types. Their
// commands are run by tools/guides.py.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  compileExpressions,
  compilePlan,
  repository,
  type PlanArtifact,
  type ValueKind,
} from "./plan_lab.ts";

interface Example {
  readonly kind: ValueKind;
  readonly source: string;
  readonly text: string;
}

/** The fenced blocks of a guide with this info string. */
function blocks(guide: string, wanted: string): string[] {
  const text = readFileSync(join(repository, "docs/guides", guide), "utf8");
  return [...text.matchAll(/^```(.*)\n([^]*?)^```$/gm)]
    .filter(([, info]) => info === wanted)
    .map(([, , block]) => block!);
}

function examples(guide: string): Example[] {
  return (["number", "bool", "text"] as const).flatMap((kind) =>
    blocks(guide, `ts ${kind}`)
      .flatMap((block) => block.trimEnd().split("\n"))
      .map((line) => {
        const [source, text] = line.split("->").map((part) => part.trim());
        assert.ok(source && text, line);
        return { kind, source, text };
      }),
  );
}

test("every expression of the guide becomes the text beside it", () => {
  const all = examples("typescript-expressions.md");
  assert.ok(all.length >= 18, String(all.length));
  const texts = all.map(({ text }) => text);
  assert.deepEqual(compileExpressions(all), texts);
});

for (const guide of ["typescript-expressions.md", "migrate-json.md"]) {
  test(`the plans of ${guide} compile`, () => {
    const plans = blocks(guide, "ts plan");
    assert.ok(plans.length > 0);
    for (const plan of plans) {
      const imports = plan.includes("import ")
        ? ""
        : 'import { definePlan } from "@millrace/dsl";\n';
      assert.ok(compilePlan(imports + plan).nodes.length > 0);
    }
  });
}

test("the migrated plan becomes the JSON that it came from", () => {
  const before = JSON.parse(blocks("migrate-json.md", "json mixed_pipeline.plan.json")[0]!) as PlanArtifact;
  const { sources, ...after } = compilePlan(blocks("migrate-json.md", "ts plan")[0]!);
  assert.ok(sources);
  assert.deepEqual(after, before);
});
