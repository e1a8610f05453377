// Builds dist/: dslc.js (the compiler), runtime.js (what plans run on inside the sandbox) and, with
// --tests, every *.test.ts beside its source.
import { build } from "esbuild";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

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

const jobs = [];
if (existsSync(join(root, "src/cli/main.ts"))) {
  jobs.push(build({ ...node, entryPoints: { dslc: "src/cli/main.ts" }, outdir: "dist" }));
}
if (existsSync(join(root, "src/runtime/index.ts"))) {
  jobs.push(build({
    entryPoints: { runtime: "src/runtime/index.ts" }, outdir: "dist", absWorkingDir: root,
    bundle: true, platform: "neutral", format: "iife", globalName: "__mr_runtime",
    target: "es2020", minifyWhitespace: true, logLevel: "warning",
  }));
}
if (process.argv.includes("--tests")) {
  rmSync(join(root, "dist/test"), { recursive: true, force: true });
  jobs.push(build({ ...node, entryPoints: testFiles("src"), outdir: "dist/test", outbase: "src" }));
}
await Promise.all(jobs);
