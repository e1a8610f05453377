// The authoring API of plans, and the globals that plans and the compiler find in the sandbox.
import { installHooks } from "../hooks/install.ts";
import { nodeCount } from "./build.ts";
import { defineFragment } from "./fragment.ts";
import { coalesce, E, Fn, Pred } from "./forms.ts";
import { definePlan, PlanDefinition, run } from "./plan.ts";
import { RowsValue } from "./rows.ts";
import { EndpointValue, EP, ExprValue, Key, P, reference, Req, Viewer, wrap } from "./values.ts";

export { coalesce, defineFragment, definePlan, E, EP, Fn, Key, P, Pred, Req, Viewer };

installHooks({ wrap, reference, nodeCount });

const globals = { Key, P, EP, Req, Viewer, Fn, coalesce, __mr_run: run };
for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, {
    value,
    writable: false,
    configurable: false,
    enumerable: false,
  });
}

// A plan can reach these objects through its own values, so freeze them: no plan may affect
// another.
for (const part of [PlanDefinition, RowsValue, EndpointValue, ExprValue]) {
  Object.freeze(part);
  Object.freeze(part.prototype);
}
Object.freeze(definePlan);
Object.freeze(defineFragment);
