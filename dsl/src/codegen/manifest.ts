// The task manifest, as `rankd --print-task-manifest` writes it, and the bindings made of it.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import {
  NODE_OPTIONS,
  type Bindings,
  type JoinBinding,
  type ParamBinding,
  type TaskBinding,
} from "../exchange/bindings.ts";
import { CodegenError, type Registry } from "./registry.ts";

export interface Manifest {
  readonly manifest_version: number;
  readonly tasks: readonly ManifestTask[];
}

interface ManifestTask {
  readonly op: string;
  readonly aliases: readonly string[];
  readonly doc: string;
  readonly kind: string;
  readonly inputs_min: number;
  readonly inputs_max: number;
  readonly params: readonly Omit<ParamBinding, "property">[];
  readonly output: { readonly columns: string; readonly rows: string };
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly writes_on_demand: boolean;
  readonly keys_param: string;
  readonly prefix_param?: string;
  readonly join?: JoinBinding;
}

/** Asks an engine for its manifest. */
export function printManifest(rankd: string, plugins: readonly string[] = []): Manifest {
  const options = plugins.flatMap((path) => ["--plugin", path]);
  const { status, stdout, stderr, error } =
    spawnSync(rankd, [...options, "--print-task-manifest"], { encoding: "utf8", maxBuffer: 64 << 20 });
  if (status === 0) return checkedManifest(stdout, rankd);
  const reason = error?.message ?? stderr.trim();
  throw new CodegenError([reason === "" ? `${rankd} did not print its tasks` : reason]);
}

export function readManifest(path: string): Manifest {
  return checkedManifest(readFileSync(path, "utf8"), path);
}

function checkedManifest(text: string, from: string): Manifest {
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.manifest_version !== 1 || !Array.isArray(manifest.tasks)) {
    throw new CodegenError([`${from}: not a task manifest of version 1`]);
  }
  return manifest;
}

/** The manifest as it is stored in a repository: one line per task and param, so that diffs are
 * readable. */
export function manifestText(manifest: Manifest): string {
  const tasks = manifest.tasks.map((task) => {
    const { params, ...rest } = task;
    const head = JSON.stringify(rest).slice(0, -1);
    if (params.length === 0) return `${head},"params":[]}`;
    return `${head},"params":[\n  ${params.map((param) => JSON.stringify(param)).join(",\n  ")}]}`;
  });
  return `{"manifest_version":${manifest.manifest_version},"tasks":[\n${tasks.join(",\n")}\n]}\n`;
}

/** `out_key` as TypeScript writes it: `outKey`. */
export function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

/** Combines registry and tasks; refuses names that would be equal in TypeScript. */
export function makeBindings(registry: Registry, manifest: Manifest): Bindings {
  const problems: string[] = [];
  const methods = new Set<string>();
  const tasks = manifest.tasks.map((task) => {
    const binding = bindTask(task);
    for (const method of [binding.method, ...binding.aliases]) {
      if (methods.has(method)) {
        problems.push(`${task.op}: two tasks are called ${method} in TypeScript`);
      }
      methods.add(method);
    }
    for (const { name, property } of binding.params) {
      if (NODE_OPTIONS.includes(property)) {
        problems.push(`${task.op}.${name}: every node has an option of this name`);
      }
    }
    return binding;
  });
  if (problems.length > 0) throw new CodegenError(problems);
  return { ...registry, tasks };
}

function bindTask(task: ManifestTask): TaskBinding {
  return {
    op: task.op,
    method: camelCase(task.op),
    aliases: task.aliases.map(camelCase),
    inputs_min: task.inputs_min,
    inputs_max: task.inputs_max,
    params: task.params.map((param) => ({ ...param, property: camelCase(param.name) })),
    columns: task.output.columns,
    reads: task.reads,
    writes: task.writes,
    writes_on_demand: task.writes_on_demand,
    keys_param: task.keys_param,
    ...(task.prefix_param !== undefined && { prefix_param: task.prefix_param }),
    ...(task.join !== undefined && { join: task.join }),
    doc: task.doc,
  };
}
