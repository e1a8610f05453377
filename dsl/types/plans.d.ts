// Rows, nodes, plans and fragments.

declare namespace Millrace {
  const columns: unique symbol;
  const endpointName: unique symbol;

  /** Endpoints by kind; filled by generated/endpoints.d.ts. */
  interface Endpoints {}
  /** A store or server of the registry. */
  interface Endpoint<G extends string = string> {
    readonly [endpointName]: G;
  }

  /**
   * The rows that a node gives; `C` names the columns that they have. Every task is a method that
   * makes one more node and leaves this one as it is; filled by generated/tasks.d.ts and
   * generated/fetches.d.ts.
   */
  interface Rows<C extends string> {
    readonly [columns]: { readonly [N in C]: true };
  }
  /** Where rows come from: the argument of `build`; filled by generated/sources.d.ts. */
  interface Sources {
    /** Rows with these ids, the same in every request. */
    ids(ids: readonly number[]): Rows<"id">;
    /** Rows of a field of the request. */
    request<N extends keyof RequestFields & string>(field: N): Rows<"id" | (N & KeyName)>;
  }
  /** Any rows. Rows with more columns can stand where fewer are wanted. */
  type AnyRows = Rows<never>;
  /** The columns of rows, or of each of several. */
  type ColumnsOf<R> = R extends { readonly [columns]: infer M }
    ? keyof M & string
    : R extends readonly (infer I)[]
      ? ColumnsOf<I>
      : never;

  /** What happens when a node fails or misses its time. */
  type OnFailure =
    | "fail"
    | { readonly use: "empty" }
    | { readonly use: "input" }
    | { readonly use: "node"; readonly node: AnyRows };

  /** What may be said of any node, beside the params of its task. */
  interface NodeOptions {
    /** Id of the node; by default the variable that it is bound to, or its task and a number. */
    readonly id?: string;
    /** Longest time that the node may take, from 1 ms to one hour. */
    readonly timeoutMs?: number;
    /** What happens when it fails or misses its time: by default the request fails. */
    readonly onFailure?: OnFailure;
    /** What becomes of a row whose expression fails: by default the value is null. */
    readonly onRowError?: "null" | "drop" | "fail";
    /** Which nodes go first. */
    readonly priority?: "high" | "normal" | "low" | "background";
    /** Hints for the scheduler. */
    readonly scheduling?: { readonly inline?: boolean; readonly costEstimateUs?: number };
    /** False leaves the node out of traces. */
    readonly trace?: boolean;
  }

  type Direction = "asc" | "desc";
  /** One key or several, each with its direction. */
  type OrderParam<C extends string> =
    KeyRef<C> | readonly (KeyRef<C> | { readonly key: KeyRef<C>; readonly order?: Direction })[];
  type KeyList<C extends string, T extends TypeName = TypeName> =
    KeyRef<C, T> | readonly KeyRef<C, T>[];
  /** Columns to take from rows: keys, or new keys with the keys they are taken from. */
  type KeyMap<C extends string, T extends TypeName = TypeName> =
    KeyRef<C, T> | readonly KeyRef<C, T>[] | { readonly [N in WritableName | C]?: KeyRef<C, T> };
  /** Columns to compute from those of rows: keys that are replaced, or new keys with the keys they are
   * computed from. */
  type ComputedKeys<C extends string, T extends TypeName = TypeName> =
    | KeyRef<C & WritableName, T>
    | readonly KeyRef<C & WritableName, T>[]
    | { readonly [N in WritableName]?: KeyRef<C, T> };
  /** The names that columns have after a `KeyMap` has taken them. */
  type TakenNames<Y> =
    Y extends Ref<infer N>
      ? N & KeyName
      : Y extends readonly (infer I)[]
        ? TakenNames<I>
        : keyof Y & string;
  /** What a join adds: nothing if its kind is one of `N`; else what `Y` takes, or all but the id. */
  type JoinedNames<J, N, R, Y> = J extends N
    ? never
    : [Y] extends [never]
      ? Exclude<ColumnsOf<R>, "id">
      : TakenNames<Y>;
  /** A field of the request that may stand in a key. Rows alone have the keys of the engine. */
  type RequestName = Exclude<keyof RequestFields & string, "id" | "parent_id" | "source">;
  /** The names in braces of a text: `country` and `id` of `top:{country}:{id}`. */
  type PatternNames<P extends string> = P extends `${string}{${infer N}}${infer R}`
    ? N | PatternNames<R>
    : never;
  /** A text whose names in braces are among `N`, any number of them: `follow:{id}`, `trending`. */
  type KeyPattern<P extends string, N extends string> = [PatternNames<P>] extends [N]
    ? P
    : `these rows have no ${Exclude<PatternNames<P>, N>}`;

  /** Keys that an output has. While the compiler has not yet looked at `build`, any key. */
  type OutputKey<O> = [ColumnsOf<O>] extends [never] ? KeyRef : KeyRef<ColumnsOf<O>>;

  const planMark: unique symbol;
  interface Plan<out C extends string = string> {
    readonly [planMark]: C;
  }
  type Output = AnyRows | readonly AnyRows[];
  interface PlanSpec<O extends Output> {
    /** Name of the plan: requests ask for it. */
    readonly name: string;
    /** Version of the plan; requests may insist on one. */
    readonly version?: string | number;
    /** Makes the nodes; gives the rows to answer with, or several of them. */
    readonly build: (ctx: Sources) => O;
    /** Columns of the answer; by default those that the rows have for certain. */
    readonly outputKeys?: readonly NoInfer<OutputKey<O>>[];
    /** Time kept back for what follows a fallback. */
    readonly reserveMs?: number;
    /** Versions of fragments by name, where the plan wants others than the fragments' own. */
    readonly fragments?: { readonly [name: string]: string };
  }

  /** What makes the nodes of a fragment: of rows and other arguments. */
  type FragmentBuild = (...args: never[]) => unknown;
  /**
   * A part of plans with a name, versions and typed arguments; called like its `build`. To let other
   * columns through: `<C extends string>(rows: Rows<C | "created_at">) => …`.
   */
  type Fragment<F extends FragmentBuild> = F & {
    /** The same with a version of the caller's choice. */
    readonly version: (version: string) => F;
  };
  interface FragmentSpec<F extends FragmentBuild> {
    readonly name: string;
    /** The version of `build`. */
    readonly version: string;
    readonly build: F;
    /** Earlier or other versions, by their names. */
    readonly versions?: { readonly [version: string]: NoInfer<F> };
  }
}

declare module "@millrace/dsl" {
  /** Defines a plan; the default export of a `.plan.ts`. */
  export function definePlan<const O extends Millrace.Output>(
    spec: Millrace.PlanSpec<O>,
  ): Millrace.Plan<Millrace.ColumnsOf<O>>;
  /** Defines a fragment: a function of rows and other arguments with a name and versions. */
  export function defineFragment<F extends Millrace.FragmentBuild>(
    spec: Millrace.FragmentSpec<F>,
  ): Millrace.Fragment<F>;
  /** Builder forms of values. */
  export const E: Millrace.ValueForms;
  /** Builder forms of conditions. */
  export const Pred: Millrace.ConditionForms;
  /** The first value that is not null. */
  export const coalesce: Millrace.Coalesce;
  /** Functions of expressions. */
  export const Fn: Millrace.NaturalFunctions;
  export const Key: Millrace.Keys;
  export const P: Millrace.Params;
  export const Req: Millrace.RequestFields;
  export const Viewer: Millrace.ViewerFields;
  export const EP: Millrace.Endpoints;
  /** Rows with these columns. */
  export type Rows<C extends string = "id"> = Millrace.Rows<C>;
  export type Sources = Millrace.Sources;
}

declare module "@ranking-dsl/runtime" {
  export * from "@millrace/dsl";
}
