import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";

const plans = join(process.cwd(), "../plans");
const names = readdirSync(plans).filter((name) => name.endsWith(".plan.json"));

test("DSL1 CLI8: every shipped artifact is what its source compiles to, to the byte", () => {
  assert.equal(names.length, 9);
  const copy = mkdtempSync(join(tmpdir(), "millrace-plans-"));
  try {
    cpSync(join(plans, "../registry"), join(copy, "registry"), { recursive: true });
    cpSync(plans, join(copy, "plans"), {
      recursive: true,
      filter: (path) => !path.endsWith(".plan.json"),
    });
    const run = spawnSync(process.execPath, ["bin/dslc", "build", "--root", copy], {
      encoding: "utf8",
    });
    assert.equal(run.status, 0, run.stderr);
    for (const name of names) {
      assert.equal(
        readFileSync(join(copy, "plans", name), "utf8"),
        readFileSync(join(plans, name), "utf8"),
        `${name}: run dslc build`,
      );
    }
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test("the shipped plans and the seeds' type-check in a plain editor", () => {
  const config = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(plans, "tsconfig.json"), ts.sys.readFile).config,
    ts.sys,
    plans,
  );
  const seeds = readdirSync("tests/seeds")
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `tests/seeds/${name}`);
  const problems = ts.getPreEmitDiagnostics(
    ts.createProgram([...config.fileNames, ...seeds], config.options),
  );
  assert.deepEqual(
    problems.map(({ file, messageText }) => `${file?.fileName}: ${JSON.stringify(messageText)}`),
    [],
  );
  assert.equal(seeds.length, 6);
});
