import { REQUEST_FIELDS, type Bindings } from "../exchange/bindings.ts";
import type { ReferenceTable } from "../hooks/install.ts";

/** The registered names that sources are checked against. */
export interface KnownNames {
  readonly references: Readonly<Record<ReferenceTable, ReferenceNames>>;
  /** By kind: `EP.redis.redis_default`. */
  readonly endpoints: ReadonlyMap<string, ReadonlySet<string>>;
  readonly methods: ReadonlySet<string>;
  /** Properties of tasks whose values are expressions: `expr`, `pred`. */
  readonly expressionProperties: ReadonlySet<string>;
}

/** One global table of names, with the words and the code of an error about it. */
export interface ReferenceNames {
  readonly names: ReadonlySet<string>;
  readonly what: string;
  readonly code: string;
}

export function knownNames(bindings: Bindings): KnownNames {
  const endpoints = new Map<string, Set<string>>();
  for (const { name, kind } of bindings.endpoints) {
    if (!endpoints.has(kind)) endpoints.set(kind, new Set());
    endpoints.get(kind)!.add(name);
  }
  const params = bindings.tasks.flatMap((task) => task.params);
  const keyNames = new Set(bindings.keys.map((key) => key.name));
  const paramNames = new Set(bindings.params.map((param) => param.name));
  const requestNames = new Set([...Object.keys(REQUEST_FIELDS), ...paramNames, ...keyNames]);
  return {
    references: {
      Key: { names: keyNames, what: "key", code: "unknown_key" },
      P: { names: paramNames, what: "param", code: "unknown_name" },
      Req: { names: requestNames, what: "field of the request", code: "unknown_request_field" },
      Viewer: { names: keyNames, what: "field of the viewer", code: "unknown_key" },
    },
    endpoints,
    methods: new Set(bindings.tasks.flatMap((task) => [task.method, ...task.aliases])),
    expressionProperties: new Set(params
      .filter((param) => param.type === "expr" || param.type === "predicate")
      .map((param) => param.property)),
  };
}

/** The known name that is most similar to a wrong one, as a hint; undefined if none is similar. */
export function didYouMean(wrong: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wrong.length / 3)) + 1;
  for (const name of known) {
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best === undefined ? undefined : `did you mean \`${best}\`?`;
}

/** Number of letters to add, drop, replace or swap. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; ++i) {
    const row = [i];
    for (let j = 1; j <= to.length; ++j) {
      const same = from[i - 1] === to[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    [before, last] = [last, row];
  }
  return last[to.length]!;
}
