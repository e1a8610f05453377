import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "../exchange/problem.ts";
import { problemJson, problemText, sorted } from "./report.ts";

const style = { color: false, lineOf: (_file: string, line: number) => ["one", "\tKey.scroe + 1"][line - 1] };
const problem: Problem = { severity: "error", code: "unknown_key", message: "Unknown key: `scroe`",
  hint: "did you mean `score`?", file: "a.plan.ts", span: [2, 6, 2, 11] };

test("a problem is shown with its line and a caret under its place", () => {
  assert.equal(problemText(problem, style), [
    "a.plan.ts:2:6: error: Unknown key: `scroe` [unknown_key]",
    "   2 | \tKey.scroe + 1",
    "     | \t    ^~~~~",
    "     hint: did you mean `score`?",
    "",
  ].join("\n"));
});

test("a problem of several lines is marked to the end of its first", () => {
  const text = problemText({ ...problem, span: [1, 2, 2, 3] }, style);
  assert.match(text, /\n {5}\| {2}\^~\n/);
});

test("control characters of a plan are shown, not obeyed", () => {
  const hostile = { color: false, lineOf: () => 'x("\x1b[2J\u202e", Key.a)' };
  assert.equal(problemText({ ...problem, message: "Not a name: \x1b]0;you\x07\n\x9b", hint: "\x7f\r", span: [1, 13, 1, 18] }, hostile), [
    "a.plan.ts:1:13: error: Not a name: \\u001b]0;you\\u0007\\n\\u009b [unknown_key]",
    '   1 | x("\\u001b[2J\\u202e", Key.a)',
    "     |                       ^~~~~",
    "     hint: \\u007f\\u000d",
    "",
  ].join("\n"));
});

test("a very long line is cut around the place", () => {
  const long = { color: false, lineOf: () => `${"a + ".repeat(5000)}b${" + a".repeat(5000)}` };
  const lines = problemText({ ...problem, span: [1, 20_001, 1, 20_002] }, long).split("\n");
  assert.ok(lines[1]!.length < 320, `${lines[1]!.length} characters`);
  assert.equal(lines[1]![lines[2]!.indexOf("^")], "b");
});

test("a problem without a place has no excerpt", () => {
  const { span: _, hint: __, ...bare } = problem;
  assert.equal(problemText({ ...bare, file: "" }, style), "error: Unknown key: `scroe` [unknown_key]\n");
});

test("problems as data", () => {
  assert.deepEqual(problemJson(problem), { severity: "error", code: "unknown_key", file: "a.plan.ts",
    line: 2, column: 6, end_line: 2, end_column: 11, message: "Unknown key: `scroe`",
    hint: "did you mean `score`?" });
});

test("problems come by file, then by place", () => {
  const at = (file: string, line: number): Problem => ({ ...problem, file, span: [line, 1, line, 2] });
  assert.deepEqual(sorted([at("b", 1), at("a", 12), at("a", 2)]).map(({ file, span }) => `${file}${span![0]}`),
    ["a2", "a12", "b1"]);
});
