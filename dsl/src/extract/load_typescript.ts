// TypeScript is by far the largest module that the compiler loads. `npm run build` puts a minified
// copy and V8's compiled form of it into dist/, which load in a quarter of the time.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";
import type ts from "typescript";
import { distFolder } from "../dist_folder.ts";
import { cacheMode } from "../quick_start.ts";

export type TypeScript = typeof ts;

const require = createRequire(import.meta.url);
let loaded: TypeScript | undefined;

export function loadTypeScript(): TypeScript {
  loaded ??= loadPrepared() ?? (require("typescript") as TypeScript);
  return loaded;
}

type Wrapper = (exports: object, require: NodeJS.Require, module: object, file: string,
  folder: string) => void;

function loadPrepared(): TypeScript | undefined {
  try {
    const folder = distFolder();
    // The build writes pure ASCII, which latin1 reads fastest.
    const code = readFileSync(`${folder}/typescript.cjs`, "latin1");
    const cache = `${folder}/typescript.${process.version}${cacheMode()}.cache`;
    const cachedData = readIfThere(cache);
    const script = new Script(code, { filename: `${folder}/typescript.cjs`,
      ...(cachedData && { cachedData }) });
    const module = { exports: {} };
    // TypeScript looks for lib.*.d.ts in the folder of this file name.
    const library = require.resolve("typescript");
    (script.runInThisContext() as Wrapper)(module.exports, require, module, library,
      dirname(library));
    if (cachedData === undefined || script.cachedDataRejected) saveCache(cache, script);
    return module.exports as TypeScript;
  } catch {
    return undefined;
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function saveCache(file: string, script: Script): void {
  try {
    writeFileSync(file, script.createCachedData());
  } catch {
    // If the folder cannot be written, loading is only slower.
  }
}
