// Builds dist/: dslc.js (the compiler), sandbox_worker.js (its thread for plans), runtime.js (what plans
// run on inside the sandbox), a fast copy of TypeScript and, with --tests, every *.test.ts.
import { build } from "esbuild";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

const root = dirname(fileURLToPath(import.meta.url));
const external = ["typescript", "esbuild", "quickjs-emscripten-core", "@jitl/*"];
const node = {
  bundle: true, platform: "node", format: "esm", target: "node18", external,
  sourcemap: "linked", logLevel: "warning", absWorkingDir: root,
};

function testFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return testFiles(path);
    return entry.name.endsWith(".test.ts") ? [path] : [];
  });
}

/** The compiler loads this copy of TypeScript, with V8's compiled form of it, in a quarter of the time. */
async function prepareTypeScript() {
  const bare = join(root, "dist/typescript.cjs");
  const cache = join(root, `dist/typescript.${process.version}.cache`);
  const original = createRequire(import.meta.url).resolve("typescript");
  const newer = (file) => existsSync(file) && statSync(file).mtimeMs > statSync(original).mtimeMs;
  if (newer(bare) && newer(cache)) return;
  const { outputFiles } = await build({
    entryPoints: [original], bundle: true, platform: "node", format: "cjs", minify: true,
    write: false, logLevel: "error",
  });
  const code = `(function (exports, require, module, __filename, __dirname) {${outputFiles[0].text}\n})`;
  const script = new Script(code, { filename: bare });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(import.meta.url), module, original, root);
  // What has run is compiled and gets into the cache.
  const ts = module.exports;
  const sample = readFileSync(join(root, "src/extract/rewrite.ts"), "utf8");
  const visit = (node) => ts.forEachChild(node, visit);
  visit(ts.createSourceFile("sample.ts", sample, ts.ScriptTarget.ES2022, true));
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(bare, code);
  writeFileSync(cache, script.createCachedData());
}

const tests = process.argv.includes("--tests");
if (tests) rmSync(join(root, "dist/test"), { recursive: true, force: true });
await Promise.all([
  build({
    ...node, outdir: "dist",
    entryPoints: { dslc: "src/cli/main.ts", sandbox_worker: "src/sandbox/worker.ts" },
  }),
  build({
    entryPoints: { runtime: "src/sandbox/guest.ts" }, outdir: "dist", absWorkingDir: root,
    bundle: true, platform: "neutral", format: "iife", globalName: "__mr_runtime",
    target: "es2022", minifyWhitespace: true, minifyIdentifiers: true, keepNames: false,
    logLevel: "warning",
  }),
  tests && build({ ...node, entryPoints: testFiles("src"), outdir: "dist/test", outbase: "src" }),
  prepareTypeScript(),
]);
