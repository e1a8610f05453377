// For tests: the bindings of this repository's registry and tasks, as the sandbox would get them.
// Import it before any other file of the runtime.
import bindings from "../../generated/bindings.json" with { type: "json" };

(globalThis as { __mr_bindings?: unknown }).__mr_bindings = bindings;
