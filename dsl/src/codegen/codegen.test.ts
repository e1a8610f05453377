import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { codegen } from "./codegen.ts";
import {
  camelCase,
  makeBindings,
  manifestText,
  printManifest,
  readManifest,
  type Manifest,
} from "./manifest.ts";
import { CodegenError, readRegistry } from "./registry.ts";
import { keyDeclarations } from "./registry_declarations.ts";

const root = join(process.cwd(), "..");
const manifestFile = join(root, "interface/tasks.manifest.json");
const rankd = process.env.MILLRACE_RANKD ?? join(root, "engine/bin/rankd");

function withFolder(body: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "millrace-codegen-"));
  try {
    body(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("TSK2: the generated files are what the registry and the manifest say", () => {
  const { changed } = codegen({
    registry: join(root, "registry"),
    out: "generated",
    manifest: manifestFile,
    check: true,
  });
  assert.deepEqual(changed, [], "run `dslc codegen`");
});

test(
  "TSK2: the manifest is what the engine prints",
  { skip: !existsSync(rankd) && "no rankd" },
  () => {
    assert.equal(
      readFileSync(manifestFile, "utf8"),
      manifestText(printManifest(rankd)),
      "run `dslc codegen`",
    );
  },
);

test("a check names stale files and writes nothing; a run writes them once", () => {
  withFolder((out) => {
    const options = {
      registry: join(root, "registry"),
      out,
      manifest: manifestFile,
      types: "types",
    };
    const stale = codegen({ ...options, check: true }).changed;
    assert.ok(stale.includes(join(out, "keys.d.ts")) && stale.includes(join(out, "plans.d.ts")));
    assert.ok(!existsSync(join(out, "keys.d.ts")));
    assert.deepEqual(codegen(options).changed, stale);
    assert.deepEqual(codegen(options).changed, []);
    writeFileSync(join(out, "keys.d.ts"), "");
    assert.deepEqual(codegen({ ...options, check: true }).changed, [join(out, "keys.d.ts")]);
  });
});

test("every problem of a registry is reported", () => {
  withFolder((folder) => {
    cpSync(join(root, "registry"), folder, { recursive: true });
    writeFileSync(
      join(folder, "keys.toml"),
      '[keys.a]\ntype = "text"\n[keys.Bad]\ntype = "int"\nnullable = 1\n',
    );
    writeFileSync(join(folder, "params.toml"), "[params.x\n");
    assert.throws(
      () => readRegistry(folder),
      (error: CodegenError) => {
        assert.match(error.message, /keys\.a\.type: not one of int, float, bool, string/);
        assert.match(error.message, /keys\.Bad: not a name/);
        assert.match(error.message, /keys\.Bad\.nullable: not a bool/);
        assert.match(error.message, /params\.toml:1:\d+: /);
        return true;
      },
    );
  });
});

test("an endpoint is a store in every environment, or a server in every one", () => {
  withFolder((folder) => {
    cpSync(join(root, "registry"), folder, { recursive: true });
    writeFileSync(
      join(folder, "endpoints.toml"),
      '[dev.a]\nkind = "embedded"\n[test.a]\nkind = "http"\n',
    );
    assert.throws(
      () => readRegistry(folder),
      /test\.a: a store in one environment, a server in another/,
    );
  });
});

test("G70: the tables of a graph are a store, as embedded data is", () => {
  withFolder((folder) => {
    cpSync(join(root, "registry"), folder, { recursive: true });
    writeFileSync(
      join(folder, "endpoints.toml"),
      '[dev.trends]\nkind = "embedded"\n[prod.trends]\nkind = "graph"\ntables = ["trending"]\n',
    );
    assert.deepEqual(
      readRegistry(folder).endpoints.map(({ name, kind }) => `${name} ${kind}`),
      ["trends redis"],
    );
  });
});

test("blocked keys are not declared, deprecated ones say so, docs cannot end their comment", () => {
  withFolder((folder) => {
    cpSync(join(root, "registry"), folder, { recursive: true });
    writeFileSync(
      join(folder, "keys.toml"),
      '[keys.gone]\ntype = "int"\nlifecycle = "blocked"\n' +
        '[keys.old]\ntype = "int"\nlifecycle = "deprecated"\nreplaced_by = "new"\ndoc = "a */ b"\n[keys.new]\ntype = "int"\n',
    );
    const text = keyDeclarations(makeBindings(readRegistry(folder), readManifest(manifestFile)));
    assert.doesNotMatch(text, /gone/);
    assert.match(text, /a \*\\\/ b/);
    assert.match(text, /@deprecated Use `new`\./);
    assert.match(text, /readonly parent_id/);
  });
});

test("ART4: names of TypeScript are the camelCase of the manifest's", () => {
  assert.equal(camelCase("out_key"), "outKey");
  assert.equal(camelCase("body_bytes_max"), "bodyBytesMax");
});

test("names that TypeScript could not tell apart are refused", () => {
  const manifest = readManifest(manifestFile);
  const take = manifest.tasks.find((task) => task.op === "take")!;
  const extra = {
    ...take,
    op: "ta_ke",
    aliases: ["sort"],
    params: [{ ...take.params[0]!, name: "timeout_ms" }],
  };
  const bad: Manifest = { ...manifest, tasks: [...manifest.tasks, extra] };
  assert.throws(
    () => makeBindings(readRegistry(join(root, "registry")), bad),
    (error: CodegenError) => {
      assert.deepEqual(error.problems, [
        "ta_ke: two tasks are called sort in TypeScript",
        "ta_ke.timeout_ms: every node has an option of this name",
      ]);
      return true;
    },
  );
});
