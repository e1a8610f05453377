// The thread on which plans run. If a plan exceeds its time, the whole thread is ended, which also
// stops what QuickJS itself cannot interrupt: long loops inside its built-in functions. Each plan
// gets a new world, which is prepared before the plan arrives.
import { parentPort, workerData } from "node:worker_threads";
import variantModule from "@jitl/quickjs-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSContext, type QuickJSRuntime,
  type QuickJSSyncVariant, type QuickJSWASMModule } from "quickjs-emscripten-core";
import type { Outcome } from "./outcome.ts";

export interface Script {
  readonly name: string;
  readonly code: string;
}

export interface Limits {
  /** Memory of the whole world: code, data and stack of QuickJS included. At least `FIRST_BYTES`. */
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** How often QuickJS may ask whether to continue; unlike time, this limit is the same on every
   * machine. */
  readonly steps: number;
  /** Time limit by the wall clock, for code during which QuickJS does not ask. */
  readonly milliseconds: number;
}

/** What the thread is started with. */
export interface WorkerSettings {
  readonly limits: Limits;
  /** Run in every world before the plan's own scripts. */
  readonly prelude: readonly Script[];
}

export interface Job {
  readonly id: number;
  /** Run one after another; the last one's value is the result. */
  readonly scripts: readonly Script[];
}

/** One QuickJS runtime with one context, for one plan. */
class World {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  #steps = 0;

  constructor(quickjs: QuickJSWASMModule, private readonly limits: Limits) {
    this.#runtime = quickjs.newRuntime();
    this.#runtime.setMaxStackSize(limits.stackBytes);
    this.#runtime.setInterruptHandler(() => ++this.#steps > limits.steps);
    this.#context = this.#runtime.newContext();
  }

  run(scripts: readonly Script[]): Outcome {
    this.#steps = 0;
    let text = "";
    for (const { name, code } of scripts) {
      const result = this.#context.evalCode(code, name);
      if (result.error) {
        const error: unknown = this.#context.dump(result.error);
        result.error.dispose();
        return failure(error, this.#steps > this.limits.steps);
      }
      const isText = this.#context.typeof(result.value) === "string";
      text = isText ? this.#context.getString(result.value) : "";
      result.value.dispose();
    }
    return { kind: "text", text };
  }

  dispose(): void {
    this.#context.dispose();
    this.#runtime.dispose();
  }
}

function failure(error: unknown, interrupted: boolean): Outcome {
  const { name, message, stack = "" } =
    (error ?? {}) as { name?: string; message?: string; stack?: string };
  if (interrupted) return { kind: "limit", limit: "time", stack };
  // If memory has run out, there may be none left for an error object.
  const memory = error === null || error === undefined ||
    (name === "InternalError" && message === "out of memory");
  if (memory) return { kind: "limit", limit: "memory", stack };
  if (name === "InternalError" && message === "stack overflow") {
    return { kind: "limit", limit: "stack", stack };
  }
  return { kind: "broken", message: message ?? String(error) };
}

// The package is CommonJS, but its types are those of an ES module.
const variant = variantModule as unknown as QuickJSSyncVariant;
const { limits, prelude } = workerData as WorkerSettings;

const PAGE_BYTES = 65_536;
/** What the WebAssembly module needs before it has run anything. */
const FIRST_BYTES = 16 << 20;

type NewMemory = new (size: { initial: number; maximum: number }) => object;
// The types of Node.js declare WebAssembly as a namespace of types only.
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: NewMemory } }).WebAssembly;

/** A new instance of QuickJS, whose memory cannot grow beyond the limit. The limit that QuickJS has
 * of its own would be no use: under WebAssembly it cannot ask how large a block is, and counts next
 * to nothing for large arrays and strings. */
function newQuickJs(): Promise<QuickJSWASMModule> {
  const bytes = Math.max(limits.memoryBytes, FIRST_BYTES);
  const wasmMemory = new Memory({ initial: FIRST_BYTES / PAGE_BYTES,
    maximum: Math.floor(bytes / PAGE_BYTES) });
  return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));
}

async function makeWorld(): Promise<{ world: World; ready: Outcome }> {
  const world = new World(await quickjs, limits);
  return { world, ready: world.run(prelude) };
}

/** Reports that the plan starts to run, and later how it ended. */
async function answer({ id, scripts }: Job): Promise<void> {
  let outcome: Outcome;
  try {
    const { world, ready } = await next;
    parentPort!.postMessage({ id });
    outcome = ready.kind === "text" ? world.run(scripts) : ready;
    parentPort!.postMessage({ id, outcome });
    // Where memory ran out, QuickJS may have left its own structures unfinished.
    if (outcome.kind === "limit" && outcome.limit === "memory") quickjs = newQuickJs();
    else world.dispose();
  } catch (error) {
    // The WebAssembly instance itself failed, so nothing in it can be trusted any more.
    outcome = { kind: "broken", message: String(error) };
    parentPort!.postMessage({ id, outcome });
    quickjs = newQuickJs();
  }
  next = makeWorld();
  next.catch(() => {});
}

let quickjs = newQuickJs();
let next = makeWorld();
next.catch(() => {});
// One job at a time: the main thread sends the next one when it has the answer.
parentPort?.on("message", (job: Job) => void answer(job));
