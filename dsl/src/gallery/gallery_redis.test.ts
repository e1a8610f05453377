// The gallery on a real Redis: the same bytes as on embedded data.
import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import {
  answersIn,
  expectedAnswers,
  gallery,
  planNames,
  responses,
  withoutRankd,
} from "./gallery_runs.ts";

const hasRedis = ["redis-server", "redis-cli"].every(
  (program) => spawnSync(program, ["--version"]).status === 0,
);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startRedis(port: number, folder: string): Promise<ChildProcess> {
  const server = spawn(
    "redis-server",
    [
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--save",
      "",
      "--appendonly",
      "no",
      "--dir",
      folder,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes("Ready to accept connections")) break;
  }
  server.stdout.resume();
  return server;
}

/** The gallery's registry, with its test environment at this port. */
function registryFor(port: number, folder: string): string {
  const registry = join(folder, "registry");
  cpSync(join(gallery, "registry"), registry, { recursive: true });
  const file = join(registry, "endpoints.toml");
  writeFileSync(file, readFileSync(file, "utf8").replace("port = 6379", `port = ${port}`));
  return registry;
}

function load(port: number, data: string): void {
  const run = spawnSync("redis-cli", ["-p", String(port)], {
    input: `FLUSHALL\n${data}`,
    encoding: "utf8",
  });
  assert.equal(run.status, 0, run.stderr);
  assert.doesNotMatch(run.stdout, /ERR/);
}

const reason = withoutRankd || (hasRedis ? false : "no redis-server");
test(
  "on Redis all plans answer the same bytes as on embedded data",
  { skip: reason },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "millrace-redis-"));
    const port = await freePort();
    const server = await startRedis(port, folder);
    try {
      const registry = registryFor(port, folder);
      for (const name of planNames) {
        load(port, readFileSync(join(gallery, name, "data.redis"), "utf8"));
        const output = responses(name, ["--env", "test"], registry);
        if (output.includes("has no store client in this environment")) {
          return t.skip("rankd has no Redis client");
        }
        assert.equal(answersIn(output), expectedAnswers(name), name);
      }
    } finally {
      server.kill();
      await new Promise((resolve) => server.once("exit", resolve));
      rmSync(folder, { recursive: true });
    }
  },
);
