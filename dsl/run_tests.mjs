// Runs every test under dist/test; with --tap FILE also writes the results there for
// tools/test_summary.py.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const [option, report] = process.argv.slice(2);

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testFiles(path);
    return entry.name.endsWith(".test.js") ? [path] : [];
  });
}

const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"];
if (option === "--tap") {
  reporters.push("--test-reporter=tap", `--test-reporter-destination=${report}`);
}
const run = spawnSync(
  process.execPath,
  ["--enable-source-maps", ...reporters, "--test", ...testFiles(join(root, "dist/test"))],
  { cwd: root, stdio: "inherit" },
);
process.exit(run.status ?? 1);
