import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { REPOSITORY } from "../compile/plan_fixture.ts";
import { packageFolder } from "../dist_folder.ts";
import { findProject, findRankd } from "./project.ts";

const rankd = findRankd(findProject(REPOSITORY));

test("the benchmark runs and prints its three figures", { skip: rankd === undefined && "needs rankd" }, () => {
  const { status, stdout, stderr } = spawnSync(process.execPath,
    [join(packageFolder(), "bench.mjs"), "--runs", "1", "--plans", "3"],
    { encoding: "utf8", env: { ...process.env, MILLRACE_RANKD: rankd } });
  assert.equal(status, 0, stderr);
  assert.deepEqual(stdout.split("\n").slice(1, 4).map((line) => line.slice(0, 27).trim()),
    ["build, one plan", "build, 3 plans", "watch, rebuild of one plan"]);
});
