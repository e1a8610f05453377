// The gallery: ten plans with their artifacts, data, requests and answers. To accept changes of
// artifacts and answers, run this with UPDATE_GOLDEN=1 and read the difference.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { codegen } from "../codegen/codegen.ts";

const gallery = join(process.cwd(), "gallery");
const rankd = process.env.MILLRACE_RANKD ?? join(process.cwd(), "../engine/bin/rankd");
const update = process.env.UPDATE_GOLDEN !== undefined;
const names = readdirSync(gallery).filter((name) => existsSync(join(gallery, name, `${name}.plan.ts`)));

function expectText(file: string, text: string): void {
  if (update) writeFileSync(file, text);
  assert.equal(text, readFileSync(file, "utf8"), file);
}

/** What of a response depends on plan, data and request alone. */
function answerOf(line: string): string {
  const found = /"candidates":(\[.*\]),"took_ms":[^,]*,"degraded":(\{.*\}),"warnings"/.exec(line);
  assert.ok(found, line);
  return `{"candidates":${found[1]},"degraded":${found[2]}}\n`;
}

function answers(name: string, more: readonly string[]): string {
  const folder = join(gallery, name);
  const run = spawnSync(rankd,
    ["--root", folder, "--registry", join(gallery, "registry"), "--plan_dir", folder, "--plan_name", name, ...more],
    { input: readFileSync(join(folder, "requests.jsonl")), encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr + run.stdout);
  return run.stdout.trimEnd().split("\n").map(answerOf).join("");
}

test("there are ten plans, with types of their own registry", () => {
  assert.equal(names.length, 10);
  const options = { registry: join(gallery, "registry"), out: join(gallery, "generated"),
    manifest: join(process.cwd(), "../contract/tasks.manifest.json") };
  assert.deepEqual(codegen({ ...options, check: !update }).changed, [], "UPDATE_GOLDEN=1 writes them");
});

test("all of them type-check in a plain editor", () => {
  const config = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(gallery, "tsconfig.json"), ts.sys.readFile).config, ts.sys, gallery);
  const problems = ts.getPreEmitDiagnostics(ts.createProgram(config.fileNames, config.options));
  assert.deepEqual(problems.map(({ file, messageText }) => `${file?.fileName}: ${JSON.stringify(messageText)}`), []);
});

test("they compile to the artifacts beside them", () => {
  const copy = mkdtempSync(join(tmpdir(), "millrace-gallery-"));
  try {
    cpSync(gallery, copy, { recursive: true, filter: (path) => !path.endsWith(".plan.json") });
    const run = spawnSync(process.execPath, ["bin/dslc", "build", copy, "--root", copy], { encoding: "utf8" });
    assert.equal(run.status, 0, run.stderr);
    for (const name of names) {
      const file = join(name, `${name}.plan.json`);
      expectText(join(gallery, file), readFileSync(join(copy, file), "utf8"));
    }
  } finally {
    rmSync(copy, { recursive: true });
  }
});

for (const name of names) {
  test(`REQ9: ${name} answers as expected with any number of threads`, { skip: !existsSync(rankd) && "no rankd" }, () => {
    expectText(join(gallery, name, "answers.jsonl"), answers(name, []));
    for (const threads of ["0", "1", "4"]) {
      assert.equal(answers(name, ["--cpu_threads", threads]), readFileSync(join(gallery, name, "answers.jsonl"), "utf8"));
    }
  });
}
