import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { REPOSITORY } from "../compile/plan_fixture.ts";
import { packageFolder } from "../dist_folder.ts";

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return path.endsWith(".ts") && !path.endsWith(".test.ts") ? [readFileSync(path, "utf8")] : [];
  });
}

/** Codes as they are written in calls and literals of the sources. */
const CODE = /(?:\b(?:PlanError|report|withProblem|importProblem|problem)\((?:[\w.]+,\s*)*|\bcode: )\s*"([a-z_]+)"/g;

test("every code is documented with a cause and a cure", () => {
  const pages = ["plan-errors", "compiler-errors"].map((name) =>
    readFileSync(join(REPOSITORY, `docs/reference/${name}.md`), "utf8")).join("\n");
  const codes = new Set(sources(join(packageFolder(), "src")).flatMap((text) =>
    [...text.matchAll(CODE)].map(([, code]) => code!)));
  assert.ok(codes.size > 30, [...codes].join(" "));
  const sections = pages.split(/^## /m).filter((section) => section.includes("**What to do.** "))
    .map((section) => section.slice(0, section.indexOf("\n")));
  assert.deepEqual([...codes].filter((code) => !sections.some((title) => title.includes(`\`${code}\``))), []);
});
