// The gallery: eleven plans with their artifacts, data, requests and answers. To accept changes of
// artifacts and answers, run this test with UPDATE_GOLDEN=1 and read the diff.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { codegen } from "../codegen/codegen.ts";
import {
  answersIn,
  expectedAnswers,
  gallery,
  planNames,
  responses,
  withoutRankd,
} from "./gallery_runs.ts";

const update = process.env.UPDATE_GOLDEN !== undefined;

function expectText(file: string, text: string): void {
  if (update) writeFileSync(file, text);
  assert.equal(text, readFileSync(file, "utf8"), file);
}

test("there are eleven plans, with types of their own registry", () => {
  assert.equal(planNames.length, 11);
  const { changed } = codegen({
    registry: join(gallery, "registry"),
    out: join(gallery, "generated"),
    manifest: join(process.cwd(), "../interface/tasks.manifest.json"),
    check: !update,
  });
  if (!update) assert.deepEqual(changed, [], "UPDATE_GOLDEN=1 writes them");
});

test("all of them type-check in a plain editor", () => {
  const config = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(gallery, "tsconfig.json"), ts.sys.readFile).config,
    ts.sys,
    gallery,
  );
  const problems = ts.getPreEmitDiagnostics(ts.createProgram(config.fileNames, config.options));
  assert.deepEqual(
    problems.map(({ file, messageText }) => `${file?.fileName}: ${JSON.stringify(messageText)}`),
    [],
  );
});

/** Artifacts of a folder with the gallery's plans, including variants. */
function artifacts(root: string): string[] {
  return planNames.flatMap((name) =>
    readdirSync(join(root, name))
      .filter((file) => file.endsWith(".plan.json"))
      .map((file) => join(name, file)),
  );
}

test("DSL1: they compile to the artifacts beside them", () => {
  const copy = mkdtempSync(join(tmpdir(), "millrace-gallery-"));
  try {
    cpSync(gallery, copy, { recursive: true, filter: (path) => !path.endsWith(".plan.json") });
    const run = spawnSync(process.execPath, ["bin/dslc", "build", copy, "--root", copy], {
      encoding: "utf8",
    });
    assert.equal(run.status, 0, run.stderr);
    const made = artifacts(copy);
    for (const file of made) {
      expectText(join(gallery, file), readFileSync(join(copy, file), "utf8"));
    }
    assert.deepEqual(artifacts(gallery), made);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

for (const name of planNames) {
  test(
    `REQ9: ${name} answers as expected with any number of threads`,
    { skip: withoutRankd },
    () => {
      expectText(join(gallery, name, "answers.jsonl"), answersIn(responses(name, [])));
      for (const threads of ["0", "1", "4"]) {
        assert.equal(answersIn(responses(name, ["--cpu_threads", threads])), expectedAnswers(name));
      }
    },
  );
}
