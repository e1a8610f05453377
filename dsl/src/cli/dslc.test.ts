// Runs dslc as people do.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { REPOSITORY } from "../compile/plan_fixture.ts";
import { packageFolder } from "../dist_folder.ts";
import { findProject, findRankd } from "./project.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "dslc-cli-")));
after(() => rmSync(folder, { recursive: true, force: true }));
const rankd = findRankd(findProject(REPOSITORY));
const skip = rankd === undefined && "needs rankd";
const project = join(folder, "news");
const home = join(project, "plans/home.plan.ts");

function dslc(...given: string[]) {
  const engine = rankd === undefined ? {} : { MILLRACE_RANKD: rankd };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(packageFolder(), "bin/dslc"), ...given],
    { cwd: existsSync(project) ? project : folder, encoding: "utf8", env: { ...process.env, ...engine, NO_COLOR: "1" } });
  return { status, stdout, stderr };
}

test("init makes a project that builds, checks and answers", { skip }, () => {
  const made = dslc("init", "news");
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /^Made news: /);
  assert.equal(made.stderr, "");
  const checked = dslc("check", "--artifacts");
  assert.deepEqual([checked.status, checked.stderr], [0, "dslc: 1 plan ok\n"]);
  const { stdout } = spawnSync(rankd!, ["--root", project, "--plan_name", "home"],
    { input: '{"user_id": 1, "limit": 2}\n', encoding: "utf8" });
  const answer = JSON.parse(stdout) as { candidates: { id: number }[] };
  assert.deepEqual(answer.candidates.map(({ id }) => id), [105, 103]);
});

test("init leaves a folder alone that has something in it", { skip }, () => {
  assert.equal(dslc("init", ".").status, 2);
});

test("build writes what has changed, and says so", { skip }, () => {
  assert.equal(dslc("build").stdout, "");
  writeFileSync(home, readFileSync(home, "utf8").replace("count: 5", "count: 4"));
  const { status, stdout, stderr } = dslc("build", "home");
  assert.deepEqual([status, stdout], [0, "plans/home.plan.json\n"]);
  assert.match(stderr, /^dslc: 1 plan ok, \d+ ms\n$/);
});

test("a plan with errors is not written; text shows the place, JSON has it as data", { skip }, () => {
  const sound = readFileSync(home, "utf8");
  const artifact = readFileSync(home.replace(".ts", ".json"), "utf8");
  writeFileSync(home, sound.replace("Key.score > 0", "Key.scroe > 0"));
  const text = dslc("build");
  assert.equal(text.status, 1);
  assert.match(text.stderr, /^plans\/home\.plan\.ts:17:27: error: Unknown key: `scroe` \[unknown_key\]\n/);
  assert.match(text.stderr, /\n +\| +\^~~~~\n +hint: did you mean `score`\?\ndslc: 1 of 1 plan failed/);
  const json = JSON.parse(dslc("build", "--format", "json").stdout) as { problems: object[]; plans: object[] };
  assert.deepEqual(json.problems, [{ severity: "error", code: "unknown_key", file: "plans/home.plan.ts", line: 17,
    column: 27, end_line: 17, end_column: 32, message: "Unknown key: `scroe`", hint: "did you mean `score`?" }]);
  assert.deepEqual(json.plans, [{ plan: "plans/home.plan.ts", ok: false, artifact: "plans/home.plan.json", state: "none" }]);
  assert.equal(readFileSync(home.replace(".ts", ".json"), "utf8"), artifact);
  writeFileSync(home, sound);
});

test("check finds what only types know, and artifacts that are stale", { skip }, () => {
  const sound = readFileSync(home, "utf8");
  writeFileSync(home, sound.replace('order: "desc"', 'order: "desc" as string as never').replace("count: 4", "count: 3")
    .replace("const store", "const unused: number = 'x';\nconst store"));
  const { status, stderr } = dslc("check", "--artifacts");
  assert.equal(status, 1);
  assert.match(stderr, /home\.plan\.ts:4:7: error: Type 'string' is not assignable to type 'number'\. \[TS2322\]/);
  assert.match(stderr, /plans\/home\.plan\.json is not what this plan compiles to \[stale_artifact\]/);
  writeFileSync(home, sound);
});

test("hints say what to do about a key of the store and a param that does not exist", { skip }, () => {
  const sound = readFileSync(home, "utf8");
  writeFileSync(home, sound.replace("outKey: Key.score", "outKey: Key.likes").replace("count: ", "howmany: "));
  const { stderr } = dslc("check");
  assert.match(stderr, /may not write the key: likes.*\n.*\n.*\n +hint: write another key, or set `allow_write = true` for likes in registry\/keys\.toml/);
  assert.match(stderr, /Unknown param of take: howmany.*\n.*\n.*\n +hint: take has `count`\n/);
  writeFileSync(home, sound);
});

test("codegen says once what the engine has against the registry", { skip }, () => {
  const keys = join(project, "registry/keys.toml");
  const sound = readFileSync(keys, "utf8");
  writeFileSync(keys, `${sound}\n[[key]]\nname = "x"\n`);
  const { status, stderr } = dslc("codegen");
  writeFileSync(keys, sound);
  assert.equal(status, 1);
  assert.match(stderr, /^dslc: rankd: keys\.toml:\d+:\d+: unknown_field: Unknown section: key [^\n]*\n$/);
});

test("codegen --check fails when the registry has changed", { skip }, () => {
  assert.equal(dslc("codegen", "--check").status, 0);
  const params = join(project, "registry/params.toml");
  writeFileSync(params, `${readFileSync(params, "utf8")}\n[params.bonus]\ntype = "float"\n`);
  const stale = dslc("codegen", "--check");
  assert.equal(stale.status, 1);
  assert.match(stale.stdout, /^stale: generated\/bindings\.json\nstale: generated\/params\.d\.ts\n$/);
  assert.equal(dslc("codegen").status, 0);
  assert.equal(dslc("codegen", "--check").status, 0);
});

test("without the engine there is a warning, unless it is left out on purpose", { skip }, () => {
  assert.equal(dslc("build", "--rankd", "does-not-exist").status, 2);
  assert.doesNotMatch(dslc("build", "--no-engine").stderr, /warning/);
});

test("wrong usage", { skip }, () => {
  for (const [given, message] of [
    [["biuld"], /unknown command 'biuld'; did you mean `build`\?/],
    [["build", "--uot", "x"], /unknown option --uot; did you mean `--out`\?/],
    [["build", "nowhere.plan.ts"], /there is no nowhere\.plan\.ts/],
    [["build", "hone"], /there is no hone; did you mean `home`\?/],
    [["check", "gone/home.plan.ts"], /there is no gone\/home\.plan\.ts; did you mean `home`\?/],
    [["build", "README.md"], /README\.md is not a plan/],
    [["build", "--format", "xml"], /--format is one of text, json/],
  ] as const) {
    const { status, stderr } = dslc(...given);
    assert.equal(status, 2, given.join(" "));
    assert.match(stderr, message);
  }
});

test("help and version", () => {
  assert.match(dslc("help").stdout, /Usage: dslc COMMAND/);
  for (const command of ["build", "check", "watch", "init", "codegen"]) {
    assert.match(dslc(command, "--help").stdout, new RegExp(`^Usage: dslc ${command}`));
  }
  assert.match(dslc("--version").stdout, /^dslc \d+\.\d+\.\d+\n$/);
});
