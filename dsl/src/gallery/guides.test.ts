// Compiles every example of the guides and checks its artifact, its types and that the engine
// accepts it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { rankd, withoutRankd } from "./gallery_runs.ts";
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

/** The fenced blocks of a guide, each with its info string. */
function allBlocks(guide: string): { info: string; text: string }[] {
  const text = readFileSync(join(repository, "docs/guides", guide), "utf8");
  return [...text.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map((block) => ({
    info: block[1]!,
    text: block[2]!,
  }));
}

function blocks(guide: string, wanted: string): string[] {
  return allBlocks(guide)
    .filter(({ info }) => info === wanted)
    .map(({ text }) => text);
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
  const before = JSON.parse(blocks("migrate-json.md", "json")[0]!) as PlanArtifact;
  for (const node of before.nodes) node.inputs ??= [];
  const { sources, ...after } = compilePlan(blocks("migrate-json.md", "ts plan")[0]!);
  assert.ok(sources);
  assert.deepEqual(after, before);
});

/** Replaces the parts that differ from run to run. */
function steady(text: string): string {
  return text
    .replace(/sha256:[0-9a-f]+/g, "sha256:…")
    .replace(/"took_ms":[0-9.e-]+/g, '"took_ms":0')
    .replace(/\d+ ms/g, "0 ms")
    .trimEnd();
}

test("the first plan comes out as the guide shows", { skip: withoutRankd }, () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-first-"));
  const env = {
    ...process.env,
    NO_COLOR: "1",
    MILLRACE_RANKD: rankd,
    PATH: [join(process.cwd(), "bin"), dirname(rankd), process.env.PATH].join(":"),
  };
  let at = folder;
  let output = "";
  let outputs = 0;
  try {
    for (const { info, text } of allBlocks("first-plan.md")) {
      const file = /^ts (plans\/\S+)$/.exec(info)?.[1];
      if (file !== undefined) writeFileSync(join(at, file), text);
      if (info === "sh" || info === "sh fails") {
        const run = spawnSync(
          "bash",
          ["-c", `exec 2>&1; ${text}\nstatus=$?; pwd > "${folder}/at"; exit $status`],
          { cwd: at, env, encoding: "utf8" },
        );
        assert.equal(run.status, info === "sh" ? 0 : 1, run.stdout);
        at = readFileSync(join(folder, "at"), "utf8").trim();
        output = run.stdout;
      } else if (info === "text") {
        assert.equal(steady(output), steady(text));
        ++outputs;
      }
    }
    assert.equal(outputs, 3);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
