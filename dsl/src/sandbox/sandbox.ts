import { Worker } from "node:worker_threads";
import { join } from "node:path";
import { distFolder } from "../dist_folder.ts";
import type { Outcome } from "./outcome.ts";
import type { Job, Limits, Script, WorkerSettings } from "./worker.ts";

export const LIMITS: Limits = {
  memoryBytes: 32 << 20,
  stackBytes: 128 << 10,
  steps: 3_000,
  milliseconds: 10_000,
};

/** Time limit for the start of the thread, which does not count as time of the plan. */
const START_MS = 60_000;

interface Waiting {
  readonly job: Job;
  readonly resolve: (outcome: Outcome) => void;
}

/** Runs scripts in QuickJS on a separate thread, one run at a time, each in a new world. Every
 * world begins with the prelude. */
export class Sandbox {
  #worker: Worker | undefined;
  #nextId = 1;
  readonly #queue: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly prelude: readonly Script[], readonly limits: Limits = LIMITS) {}

  /** Starts the thread, so that it is ready when the caller needs it. */
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

  /** Ends the thread, whatever it is doing. */
  #restart(outcome: Outcome): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#end(outcome);
  }
}
