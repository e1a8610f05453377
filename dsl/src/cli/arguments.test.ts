import assert from "node:assert/strict";
import { test } from "node:test";
import { EXIT_CODES, helpText, readArguments, UsageError, type CommandHelp } from "./arguments.ts";

const HELP: CommandHelp = { usage: "dslc x", about: "Does x.", flags: {
  out: { value: "DIR", about: "where" }, quiet: { about: "say less" },
  format: { value: "F", choices: ["text", "json"], about: "how" },
  plugin: { value: "P", repeats: true, about: "more" },
} };

test("flags and words in any order", () => {
  const { words, flags } = readArguments(["a", "--out", "d", "--quiet", "--format=json", "--", "--b"], HELP);
  assert.deepEqual([words, [...flags]], [["a", "--b"], [["out", "d"], ["quiet", ""], ["format", "json"]]]);
});

test("a flag that may be repeated keeps all values", () => {
  const { lists } = readArguments(["--plugin", "a", "--plugin=b"], HELP);
  assert.deepEqual(lists.get("plugin"), ["a", "b"]);
});

for (const [given, message] of [
  [["--uot", "x"], /unknown option --uot; did you mean `--out`\?/],
  [["--toString"], /unknown option --toString/],
  [["-x"], /unknown option -x/],
  [["--out"], /--out needs a value: DIR/],
  [["--quiet=1"], /--quiet takes no value/],
  [["--format", "xml"], /--format is one of text, json, not 'xml'/],
] as const) {
  test(`refused: ${given.join(" ")}`, () => {
    assert.throws(() => readArguments(given, HELP), (error: Error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  });
}

test("a long flag does not touch its text", () => {
  const flags = { "engine-timeout": { value: "SECONDS", about: "how long" }, out: { value: "D", about: "where" } };
  assert.equal(helpText({ ...HELP, flags }),
    "Usage: dslc x\n\nDoes x.\n\n  --engine-timeout SECONDS  how long\n  --out D                   where\n" +
    `\n${EXIT_CODES}\n`);
});

test("help names every flag", () => {
  assert.equal(helpText(HELP), "Usage: dslc x\n\nDoes x.\n\n  --out DIR             where\n" +
    "  --quiet               say less\n  --format F            how\n  --plugin P            more\n" +
    `\n${EXIT_CODES}\n`);
});
