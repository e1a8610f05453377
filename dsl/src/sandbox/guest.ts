// Runs first inside the sandbox: the authoring API, the loader of a plan's modules, and the locks.
// The bundle of this file is dist/runtime.js.
import { callSite, PlanError } from "../hooks/call_site.ts";
import { LIMIT_MESSAGES } from "../exchange/problem.ts";
import { lockIntrinsics } from "./lock_intrinsics.ts";
import * as runtime from "../runtime/index.ts";
import type { GuestFailure } from "./outcome.ts";

export * from "../runtime/index.ts";

type ModuleBody = (module: { exports: Record<string, unknown> }, exports: Record<string, unknown>,
  require: (specifier: string) => unknown) => void;

interface ModuleRecord {
  readonly imports: Readonly<Record<string, string>>;
  readonly body: ModuleBody;
  exports?: Record<string, unknown>;
}

type Run = (plan: unknown, chosen: Readonly<Record<string, string>>) => string;

const modules = new Map<string, ModuleRecord>();

function define(id: string, imports: Readonly<Record<string, string>>, body: ModuleBody): void {
  modules.set(id, { imports, body });
}

function load(id: string): Record<string, unknown> {
  const record = modules.get(id)!;
  if (record.exports === undefined) {
    const module = { exports: (record.exports = {}) };
    record.body(module, module.exports, (specifier) => {
      const imported = record.imports[specifier];
      return imported === undefined ? runtime : load(imported);
    });
    record.exports = module.exports;
  }
  return record.exports;
}

/** Loads the plan's own module and builds the plan; gives a SandboxResult or GuestFailure as text.
 * `chosen` has versions of fragments by name, to use instead of the default ones. */
function main(id: string, chosen: Readonly<Record<string, string>>): string {
  try {
    const run = (globalThis as unknown as { __mr_run: Run }).__mr_run;
    const exports = load(id);
    if (!("default" in exports)) {
      throw new PlanError("no_plan", "The file exports no plan", 0,
        "write `export default definePlan({name, build})`");
    }
    return run(exports["default"], chosen);
  } catch (error) {
    return JSON.stringify(failureOf(error));
  }
}

function failureOf(error: unknown): GuestFailure {
  if (error instanceof PlanError) {
    const { code, message, site, hint } = error;
    return { errors: [{ code, message, site, ...(hint !== undefined && { hint }) }] };
  }
  // QuickJS throws null if memory has run out and it cannot make an error object.
  if (error === null) {
    return { errors: [{ code: "memory_limit", message: LIMIT_MESSAGES.memory, site: callSite() }] };
  }
  const { name, message, stack } = (error ?? {}) as Partial<Error>;
  if (typeof message !== "string" || typeof stack !== "string") {
    return { thrown: { name: "Error", message: String(error), stack: "", site: callSite() } };
  }
  return { thrown: { name: String(name), message, stack, site: callSite() } };
}

for (const [name, value] of Object.entries({ __mr_define: define, __mr_main: main })) {
  Object.defineProperty(globalThis, name, { value, writable: false, configurable: false });
}
lockIntrinsics();
