import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import ts from "typescript";

const STRICT: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
  noEmit: true,
  strict: true,
};

function declarations(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".d.ts"))
    .map((name) => `${folder}/${name}`);
}

function problems(files: string[], options: ts.CompilerOptions): string[] {
  const program = ts.createProgram(
    [...files, ...declarations("types"), ...declarations("generated")],
    options,
  );
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
    return `${file?.fileName ?? ""}:${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}

test("DSL2 CLI8: natural expressions, callbacks, forms and fragments compile in a plain editor", () => {
  assert.deepEqual(problems(["tests/types/accepted.ts"], STRICT), []);
});

test("DSL2 DSL3: what must not compile does not", () => {
  // A line that is expected to fail but compiles is an error itself.
  assert.deepEqual(
    problems(["tests/types/refused.ts"], { ...STRICT, exactOptionalPropertyTypes: true }),
    [],
  );
});
