// Tasks of plugins: an engine that prints more tasks when it is given a plugin.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync, cpSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { REPOSITORY } from "../compile/plan_fixture.ts";
import { packageFolder } from "../dist_folder.ts";
import { readArguments } from "./arguments.ts";
import { CODEGEN_HELP, runCodegen } from "./codegen_command.ts";
import { findProject } from "./project.ts";
import { Session } from "./session.ts";
import { currentTypes, updateTypes } from "./types.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "dslc-types-")));
after(() => rmSync(folder, { recursive: true, force: true }));
const rankd = join(folder, "rankd");
const plugin = join(folder, "build_boost.so");
const manifest = join(REPOSITORY, "interface/tasks.manifest.json");
writeFileSync(plugin, "");
writeFileSync(rankd, `#!${process.execPath}
const { readFileSync } = require("node:fs");
const manifest = JSON.parse(readFileSync(${JSON.stringify(manifest)}, "utf8"));
if (process.argv.includes("--plugin")) {
  const take = manifest.tasks.find(({ op }) => op === "take");
  manifest.tasks.push({ ...take, op: "boost" });
  manifest.tasks.sort((a, b) => (a.op < b.op ? -1 : 1));
}
if (process.argv.includes("--print-task-manifest")) process.stdout.write(JSON.stringify(manifest));
else process.stdout.write("[]");
`);
chmodSync(rankd, 0o755);
for (const part of ["shared", "feed"]) {
  cpSync(join(packageFolder(), "templates", part), folder, { recursive: true });
}

const ops = (bindings: { tasks: readonly { op: string }[] }) => bindings.tasks.map(({ op }) => op);
const codegen = (...given: string[]) => runCodegen(readArguments(["--root", folder, "--rankd", rankd, ...given], CODEGEN_HELP));

test("a plugin of the command line or of millrace.json gives its tasks types", async () => {
  assert.equal(await codegen("--plugin", plugin), 0);
  const tasks = join(folder, "generated/tasks.d.ts");
  assert.match(readFileSync(tasks, "utf8"), /\bboost\(/);
  assert.equal(await codegen(), 0);
  assert.doesNotMatch(readFileSync(tasks, "utf8"), /\bboost\(/);
  writeFileSync(join(folder, "millrace.json"), '{"plugins": ["build_boost.so"]}');
  assert.deepEqual(findProject(folder).plugins, [plugin]);
  assert.equal(await codegen(), 0);
  assert.match(readFileSync(tasks, "utf8"), /\bboost\(/);
});

test("the compiler knows a plugin's tasks even before codegen, and says that types are stale", async () => {
  writeFileSync(join(folder, "millrace.json"), "{}");
  await codegen();
  writeFileSync(join(folder, "millrace.json"), '{"plugins": ["build_boost.so"]}');
  const project = findProject(folder);
  const { bindings, stale } = currentTypes(project, rankd);
  assert.ok(ops(bindings).includes("boost"));
  assert.ok(stale.length > 0);
  const session = new Session(project, { rankd });
  const { problems } = await session.build([]);
  await session.close();
  assert.deepEqual(problems.map(({ code, severity, hint }) => [code, severity, hint]),
    [["stale_types", "warning", "run `dslc codegen`"]]);
  assert.ok(updateTypes(project, rankd).length > 0);
  assert.deepEqual(currentTypes(project, rankd).stale, []);
  assert.deepEqual(updateTypes(project, rankd), []);
});

test("mistakes in millrace.json are named", () => {
  const file = join(folder, "millrace.json");
  for (const [text, message] of [
    ["{", /millrace\.json: it is not JSON/],
    ["[]", /it must hold an object/],
    ['{"plugin": []}', /unknown field `plugin`/],
    ['{"plugins": "x.so"}', /`plugins` must be a list of paths/],
    ['{"plugins": ["gone.so"]}', /there is no plugin .*gone\.so; build it first, or correct millrace\.json/],
  ] as const) {
    writeFileSync(file, text);
    assert.throws(() => findProject(folder), message, text);
  }
  rmSync(file);
  assert.throws(() => findProject(folder, undefined, ["gone.so"]), /or correct --plugin/);
  assert.ok(existsSync(plugin));
});
