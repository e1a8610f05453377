import { PlanError } from "../hooks/call_site.ts";

type Constructor = new (...parameters: never[]) => unknown;

/** Makes a function that throws when it is called, for a global that plans must not use. */
function refused(name: string, why: string, hint?: string): Constructor {
  function refuse(): never {
    const message = `${name} is not available in plans: ${why}`;
    throw new PlanError("not_available", message, undefined, hint);
  }
  return refuse as unknown as Constructor;
}

const UNREPEATABLE = "the same source must give the same artifact";
const HIDDEN = "the compiler cannot see into code made at run time";

/** Removes everything that could make two builds differ, and freezes the rest, so that a plan
 * cannot change the objects that the authoring API uses. */
export function lockIntrinsics(): void {
  const world = globalThis as unknown as Record<string, unknown>;
  const date = refused("Date", UNREPEATABLE,
    "`Fn.now()` is the time of a request, in milliseconds since 1970");
  for (const name of ["now", "parse", "UTC"]) Object.defineProperty(date, name, { value: date });
  const gone: Record<string, Constructor> = {
    Date: date,
    eval: refused("eval", HIDDEN),
    WeakRef: refused("WeakRef", UNREPEATABLE),
    FinalizationRegistry: refused("FinalizationRegistry", UNREPEATABLE),
  };
  const functions = [function () {}, function* () {}, async function () {}, async function* () {}];
  const maker = refused("Function", HIDDEN);
  for (const each of functions) {
    const prototype = Object.getPrototypeOf(each) as object;
    Object.defineProperty(prototype, "constructor", { value: maker });
  }
  for (const [name, value] of Object.entries({ ...gone, Function: maker })) {
    Object.defineProperty(world, name, { value, writable: false, configurable: false });
  }
  // There is one thread and nothing to wait for.
  delete world["SharedArrayBuffer"];
  delete world["Atomics"];
  Object.defineProperty(Math, "random", {
    value: refused("Math.random", UNREPEATABLE,
      "`sample` picks rows by chance, `Fn.hash(Key.id)` spreads them; both repeat for a request"),
  });
  freezeAll(world, functions);
}

/** Freezes everything that can be reached from the global object, but not the global object itself.
 */
function freezeAll(world: object, more: readonly object[]): void {
  const seen = new Set<object>([world]);
  const functionPrototype: unknown = Object.getPrototypeOf(freezeAll);
  const waiting: unknown[] = [...more, ...Object.getOwnPropertyNames(world).map(
    (name) => Object.getOwnPropertyDescriptor(world, name)?.value as unknown)];
  // Iterators have prototypes that no global refers to.
  waiting.push([][Symbol.iterator](), new Map().entries(), new Set().values(), ""[Symbol.iterator](),
    "".matchAll(/x/g), (function* () {})());
  while (waiting.length > 0) {
    const value = waiting.pop();
    if ((typeof value !== "object" && typeof value !== "function") || value === null) continue;
    if (seen.has(value)) continue;
    seen.add(value);
    // Methods need not be frozen: they cannot be replaced once their owner is frozen, and
    // properties added to them affect nothing.
    const isMethod = typeof value === "function" && !Object.hasOwn(value, "prototype");
    if (isMethod && value !== functionPrototype) continue;
    waiting.push(Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) {
      const property = Object.getOwnPropertyDescriptor(value, key)!;
      waiting.push(property.value, property.get, property.set);
    }
    Object.freeze(value);
  }
}
