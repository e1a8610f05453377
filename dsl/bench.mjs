// How long dslc takes, as its users wait for it: processes are started, files are written.
//   node bench.mjs [--runs N] [--plans N] [--json FILE]
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const dslc = join(root, "bin/dslc");

function option(name, fallback) {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? fallback : process.argv[index + 1];
}

const runs = Number(option("runs", 10));
const planCount = Number(option("plans", 100));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "dslc-bench-")));
const environment = { ...process.env, MILLRACE_RANKD: process.env.MILLRACE_RANKD ?? join(root, "../engine/bin/rankd") };

/** The largest plan that the design documents print, under another name and with other numbers. */
function planText(index) {
  const text = readFileSync(join(root, "tests/seeds/complex_dag.plan.ts"), "utf8");
  return text.replace('"complex_dag"', `"plan_${index}"`).replace("count: 50", `count: ${index + 1}`);
}

function build(...places) {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [dslc, "build", "--root", folder, ...places],
    { encoding: "utf8", env: environment });
  const took = performance.now() - started;
  if (status !== 0 || !/plans? ok/.test(stderr)) throw new Error(`dslc build failed:\n${stderr}`);
  return took;
}

/** Milliseconds from writing a plan to its artifact being in place, once per run. */
async function rebuilds(plan) {
  const watcher = spawn(process.execPath, [dslc, "watch", "--root", folder, plan],
    { env: environment, stdio: ["ignore", "ignore", "pipe"] });
  let heard = () => {};
  watcher.stderr.setEncoding("utf8").on("data", (text) => heard(text));
  const next = (wanted) => new Promise((resolve, reject) => {
    heard = (text) => {
      if (/failed|error/.test(text)) reject(new Error(text));
      else if (wanted.test(text)) resolve();
    };
  });
  try {
    await next(/watching/);
    const times = [];
    for (let run = 0; run < runs; ++run) {
      const done = next(/plan ok/);
      const started = performance.now();
      writeFileSync(plan, planText(1000 + run));
      await done;
      times.push(performance.now() - started);
    }
    return times;
  } finally {
    watcher.kill("SIGINT");
  }
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

try {
  cpSync(join(root, "../registry"), join(folder, "registry"), { recursive: true });
  mkdirSync(join(folder, "plans"));
  for (let index = 0; index < planCount; ++index) {
    writeFileSync(join(folder, `plans/plan_${index}.plan.ts`), planText(index));
  }
  const first = join(folder, "plans/plan_0.plan.ts");
  build(first);
  const figures = [
    { name: "build, one plan", bar_ms: 500, times: Array.from({ length: runs }, () => build(first)) },
    { name: `build, ${planCount} plans`, bar_ms: 5000,
      times: Array.from({ length: Math.ceil(runs / 3) }, () => build()) },
    { name: "watch, rebuild of one plan", bar_ms: 200, times: await rebuilds(first) },
  ].map(({ name, bar_ms, times }) => ({ name, bar_ms, runs: times.length,
    median_ms: Math.round(median(times)), max_ms: Math.round(Math.max(...times)) }));
  console.log(`${"".padEnd(28)}${"median".padStart(9)}${"max".padStart(9)}${"bar".padStart(9)}`);
  for (const { name, median_ms, max_ms, bar_ms } of figures) {
    const cells = [median_ms, max_ms, bar_ms].map((value) => `${value} ms`.padStart(9));
    console.log(`${name.padEnd(28)}${cells.join("")}`);
  }
  const file = option("json", undefined);
  if (file !== undefined) {
    const machine = { cpu: cpus()[0]?.model ?? "", cores: cpus().length, node: process.version };
    writeFileSync(file, `${JSON.stringify({ machine, figures }, null, 2)}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
