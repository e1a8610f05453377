// Walks through the tour of each template as its README says, from nothing.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { REPOSITORY } from "../compile/plan_fixture.ts";
import { packageFolder } from "../dist_folder.ts";
import { findProject, findRankd } from "./project.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "dslc-tour-")));
after(() => rmSync(folder, { recursive: true, force: true }));
const rankd = findRankd(findProject(REPOSITORY));
const skip = rankd === undefined && "needs rankd";

/** The programs as the README calls them. */
function environment(): NodeJS.ProcessEnv {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  symlinkSync(rankd!, join(bin, "rankd"));
  symlinkSync(join(packageFolder(), "bin/dslc"), join(bin, "dslc"));
  return { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
    MILLRACE_RANKD: rankd!, NO_COLOR: "1" };
}

/** The blocks of a page: commands, and what the ones before printed. */
function blocks(page: string): { language: string; text: string }[] {
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .map(([, language, text]) => ({ language: language!, text: text! }));
}

/** Times differ from run to run. */
const withoutTimes = (text: string) => text.replace(/[\d.e-]+ ms/g, "T ms").trim();

let shared: NodeJS.ProcessEnv | undefined;

for (const template of ["feed", "search", "blend"]) {
  test(`the tour of the template ${template}`, { skip }, () => {
    shared ??= environment();
    const run = (command: string, cwd: string) =>
      spawnSync("bash", ["-e", "-o", "pipefail", "-c", command], { cwd, encoding: "utf8", env: shared });
    const made = run(`dslc init ${template} --template ${template}`, folder);
    assert.equal(made.status, 0, made.stderr);
    const project = join(folder, template);
    let printed = "";
    let commands = 0;
    for (const { language, text } of blocks(readFileSync(join(project, "README.md"), "utf8"))) {
      if (language !== "sh") {
        assert.equal(withoutTimes(printed), withoutTimes(text), `of ${template}/README.md`);
        continue;
      }
      const { status, stdout, stderr } = run(text, project);
      assert.equal(status, 0, `${text}${stdout}${stderr}`);
      printed = stdout.split("\n").filter((line) => !/^plans\/\w+\.plan\.json$/.test(line)).join("\n");
      ++commands;
    }
    assert.ok(commands >= 5);
  });
}

test("a template that does not exist is refused with those that do", { skip }, () => {
  shared ??= environment();
  const { status, stderr } = spawnSync("dslc", ["init", "x", "--template", "fead"],
    { cwd: folder, encoding: "utf8", env: shared });
  assert.equal(status, 2);
  assert.match(stderr, /--template is one of feed, search, blend, not 'fead'/);
});
