import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import ts from "typescript";
import { packageFolder } from "./dist_folder.ts";

test("the sources of this package type-check", () => {
  const file = join(packageFolder(), "tsconfig.json");
  const { config } = ts.readConfigFile(file, (path) => ts.sys.readFile(path)) as { config: unknown };
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, packageFolder());
  const problems = ts.getPreEmitDiagnostics(ts.createProgram(fileNames, options));
  assert.ok(fileNames.length > 50);
  assert.equal(ts.formatDiagnostics(problems, {
    getCanonicalFileName: (name) => name, getCurrentDirectory: packageFolder, getNewLine: () => "\n",
  }), "");
});
