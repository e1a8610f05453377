// Runs the gallery's plans on the engine, for tests.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const gallery = join(process.cwd(), "gallery");
export const rankd = process.env.MILLRACE_RANKD ?? join(process.cwd(), "../engine/bin/rankd");
export const withoutRankd = existsSync(rankd) ? false : "no rankd";
export const planNames: readonly string[] = readdirSync(gallery).filter((name) =>
  existsSync(join(gallery, name, `${name}.plan.ts`)),
);

/** The part of a response that depends only on plan, data and request. */
function answerOf(line: string): string {
  const found = /"candidates":(\[.*\]),"took_ms":[^,]*,"degraded":(\{.*\}),"warnings"/.exec(line);
  assert.ok(found, line);
  return `{"candidates":${found[1]},"degraded":${found[2]}}\n`;
}

/** Responses to a plan's requests, unchanged. */
export function responses(
  name: string,
  flags: readonly string[],
  registry = join(gallery, "registry"),
): string {
  const folder = join(gallery, name);
  const run = spawnSync(
    rankd,
    ["--root", folder, "--registry", registry, "--plan_dir", folder, "--plan_name", name, ...flags],
    { input: readFileSync(join(folder, "requests.jsonl")), encoding: "utf8" },
  );
  assert.ok(run.stdout !== "", run.stderr);
  return run.stdout;
}

/** Answers to a plan's requests, in the form of `answers.jsonl`. */
export function answersIn(output: string): string {
  return output.trimEnd().split("\n").map(answerOf).join("");
}

export function expectedAnswers(name: string): string {
  return readFileSync(join(gallery, name, "answers.jsonl"), "utf8");
}
