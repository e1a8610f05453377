import { setFlagsFromString } from "node:v8";

let quick = false;

/** Makes V8 compile WebAssembly quickly and never optimise it: the first run takes half the
 * processor time, each later one 1.5 times as much. Applies to everything loaded after this call.
 */
export function preferQuickStart(): void {
  const version = Number.parseInt(process.versions.v8, 10);
  // V8 prints a warning about flags it does not know.
  if (version < 10 || version > 13) return;
  setFlagsFromString("--liftoff-only");
  quick = true;
}

/** V8 refuses compiled code that was made with other flags, so there is one cache file for each
 * mode. */
export function cacheMode(): string {
  return quick ? ".quick" : "";
}
