import { Worker } from "node:worker_threads";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { distFolder } from "../dist_folder.ts";
import type { Outcome } from "./outcome.ts";
import type { Job, Limits, Script, WorkerSettings } from "./worker.ts";

export const LIMITS: Limits = {
  memoryBytes: 32 << 20,
  stackBytes: 128 << 10,
  steps: 3_000,
  milliseconds: 10_000,
};

/** What a thread may take to start, which is no fault of the plan. */
const START_MS = 60_000;

interface Waiting {
  readonly job: Job;
  readonly resolve: (outcome: Outcome) => void;
}

/** Compiles WebAssembly once and simply instead of twice, the second time well: a first run takes half
 * the processor time, each later one half as much again. Of effect on what is loaded from now on. */
export function preferQuickStart(): void {
  const version = Number.parseInt(process.versions.v8, 10);
  // V8 complains aloud about flags it does not know.
  if (version >= 10 && version <= 13) setFlagsFromString("--liftoff-only");
}

/** Runs scripts in QuickJS on a thread of its own, one world per run, one run at a time. Every world
 * begins with the prelude. */
export class Sandbox {
  #worker: Worker | undefined;
  #nextId = 1;
  readonly #queue: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly prelude: readonly Script[], readonly limits: Limits = LIMITS) {}

  /** Starts the thread, so that it gets ready while the caller does something else. */
  warmUp(): void {
    this.#worker ??= this.#start();
  }

  run(scripts: readonly Script[]): Promise<Outcome> {
    return new Promise((resolve) => {
      const job = { id: this.#nextId++, scripts };
      this.#queue.push({ job, resolve });
      if (this.#queue.length === 1) this.#next();
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    const workerData: WorkerSettings = { limits: this.limits, prelude: this.prelude };
    const worker = new Worker(join(distFolder(), "sandbox_worker.js"), { workerData });
    worker.on("message", ({ id, outcome }: { id: number; outcome?: Outcome }) => {
      if (this.#worker !== worker || this.#queue[0]?.job.id !== id) return;
      if (outcome !== undefined) this.#end(outcome);
      else this.#expectWithin(this.limits.milliseconds);
    });
    worker.on("error", (error) => {
      if (this.#worker === worker) this.#restart({ kind: "broken", message: String(error) });
    });
    worker.unref();
    return worker;
  }

  #next(): void {
    const waiting = this.#queue[0];
    if (waiting === undefined) {
      this.#worker?.unref();
      return;
    }
    this.warmUp();
    this.#worker!.ref();
    this.#worker!.postMessage(waiting.job);
    this.#expectWithin(START_MS);
  }

  #expectWithin(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#restart({ kind: "limit", limit: "time", stack: "" }),
      milliseconds);
  }

  #end(outcome: Outcome): void {
    clearTimeout(this.#timer);
    this.#queue.shift()?.resolve(outcome);
    this.#next();
  }

  /** Ends the thread with whatever it is doing. */
  #restart(outcome: Outcome): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#end(outcome);
  }
}
