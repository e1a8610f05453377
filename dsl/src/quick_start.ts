import { setFlagsFromString } from "node:v8";

let quick = false;

/** Compiles WebAssembly once and simply instead of twice, the second time well: a first run takes half
 * the processor time, each later one half as much again. Of effect on what is loaded from now on. */
export function preferQuickStart(): void {
  const version = Number.parseInt(process.versions.v8, 10);
  // V8 complains aloud about flags it does not know.
  if (version < 10 || version > 13) return;
  setFlagsFromString("--liftoff-only");
  quick = true;
}

/** V8 takes no compiled code that was made under other flags, so there is one file for each. */
export function cacheMode(): string {
  return quick ? ".quick" : "";
}
