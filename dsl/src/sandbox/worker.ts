// The thread that plans run on. A plan that does not end within its time is ended with the thread,
// which also stops what QuickJS itself cannot interrupt: long loops inside its built-in functions.
import { parentPort } from "node:worker_threads";
import variantModule from "@jitl/quickjs-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant, type QuickJSSyncVariant, type QuickJSWASMModule } from "quickjs-emscripten-core";
import type { Outcome } from "./outcome.ts";

export interface Script {
  readonly name: string;
  readonly code: string;
}

export interface Job {
  readonly id: number;
  /** Run one after another in one fresh world; the last one's value is the result. */
  readonly scripts: readonly Script[];
  readonly limits: Limits;
}

export interface Limits {
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** How often QuickJS may ask whether to go on; unlike time, the same on every machine. */
  readonly steps: number;
  /** Wall clock, for what does not ask. */
  readonly milliseconds: number;
}

function run(quickjs: QuickJSWASMModule, { scripts, limits }: Job): Outcome {
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setMaxStackSize(limits.stackBytes);
  let steps = 0;
  runtime.setInterruptHandler(() => ++steps > limits.steps);
  const context = runtime.newContext();
  let text = "";
  try {
    for (const { name, code } of scripts) {
      const result = context.evalCode(code, name);
      if (result.error) {
        const error: unknown = context.dump(result.error);
        result.error.dispose();
        return failure(error, steps > limits.steps);
      }
      text = context.typeof(result.value) === "string" ? context.getString(result.value) : "";
      result.value.dispose();
    }
    return { kind: "text", text };
  } finally {
    context.dispose();
    runtime.dispose();
  }
}

function failure(error: unknown, interrupted: boolean): Outcome {
  const { name, message, stack = "" } =
    (error ?? {}) as { name?: string; message?: string; stack?: string };
  if (interrupted) return { kind: "limit", limit: "time", stack };
  // When memory is gone there may be none left to say so.
  const memory = error === null || error === undefined ||
    (name === "InternalError" && message === "out of memory");
  if (memory) return { kind: "limit", limit: "memory", stack };
  if (name === "InternalError" && message === "stack overflow") {
    return { kind: "limit", limit: "stack", stack };
  }
  return { kind: "broken", message: message ?? String(error) };
}

// The package is CommonJS with types of an ES module.
const variant = variantModule as unknown as QuickJSSyncVariant;
let quickjs = newQuickJSWASMModuleFromVariant(variant);

parentPort?.on("message", async (job: Job) => {
  let outcome: Outcome;
  try {
    outcome = run(await quickjs, job);
  } catch (error) {
    // The WebAssembly instance itself failed; nothing that is left of it can be trusted.
    outcome = { kind: "broken", message: String(error) };
    quickjs = newQuickJSWASMModuleFromVariant(variant);
  }
  parentPort!.postMessage({ id: job.id, outcome });
});
