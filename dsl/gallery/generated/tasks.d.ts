// Generated from the task manifest of rankd by `dslc codegen`; do not edit.

declare namespace Millrace {
  /** Ops of all tasks. */
  type Op =
    | "aggregate"
    | "busy_cpu"
    | "candidates"
    | "concat"
    | "dedupe"
    | "diversify"
    | "filter"
    | "fixed_source"
    | "follow"
    | "group_limit"
    | "http_fetch"
    | "hydrate"
    | "interleave"
    | "join"
    | "list"
    | "lookup"
    | "media"
    | "recommendation"
    | "sample"
    | "set_members"
    | "skip"
    | "sleep"
    | "sort"
    | "sorted_set"
    | "take"
    | "top_k"
    | "viewer"
    | "vm";

  interface Rows<C extends string> {
    /**
     * Makes one row of each group of rows with equal values of `by`, in order of the groups' first
     * rows: with the `id` of the first row, the keys of `by`, and what the other params compute.
     * Nulls are left out of what is computed; without a value there, the result is null, and a
     * count 0. Null is a group of its own.
     */
    aggregate<B extends C, const Y extends ComputedKeys<C> = never, const Y1 extends ComputedKeys<C, "int" | "float"> = never, const Y2 extends ComputedKeys<C, "int" | "float"> = never, const Y3 extends ComputedKeys<C, "int" | "float"> = never, const Y4 extends ComputedKeys<C, "int" | "float"> = never, const Y5 extends KeyMap<C> = never>(params: NodeOptions & {
      /** Keys whose values define a group. */
      readonly by: KeyList<B>;
      /** New keys with the keys whose values are counted; `{"n": "id"}` counts rows. */
      readonly count?: Y;
      /** New keys with the keys whose values are added; a sum of ints beyond 64 bits is a row error. */
      readonly sum?: Y1;
      /** New keys, of type float, with the keys whose mean they are. */
      readonly mean?: Y2;
      /** New keys with the keys whose least they are. */
      readonly min?: Y3;
      /** New keys with the keys whose greatest they are. */
      readonly max?: Y4;
      /** Keys, or new keys with keys, to take from the first row of a group. */
      readonly first?: Y5;
    }): Rows<"id" | B | TakenNames<Y> | TakenNames<Y1> | TakenNames<Y2> | TakenNames<Y3> | TakenNames<Y4> | TakenNames<Y5>>;

    /** Keeps its thread busy, then gives its input; for tests and benchmarks. */
    busyCpu(params: NodeOptions & {
      /**
       * How long to compute, in milliseconds.
       * From 0 to 3600000.
       */
      readonly busyWaitMs: number;
    }): Rows<C>;

    /**
     * Puts the rows of all inputs one after another; a column that an input lacks is null there.
     * `source` says which input a row first came from.
     */
    concat<R extends AnyRows = never, I extends readonly AnyRows[] = []>(params?: NodeOptions & {
      /** Rows that come after those of the inputs. */
      readonly rhs?: R;
      /**
       * Name of each input in `source`; by default its position: 0, 1, ….
       * @defaultValue `[]`
       */
      readonly tags?: readonly string[];
      /** More inputs, after the rows themselves: at most 63. */
      readonly inputs?: I;
    }): Rows<C | "source" | ColumnsOf<R> | ColumnsOf<I>>;

    /** Leaves one row for each distinct value of the keys, in input order; null equals null. */
    dedupe(params?: NodeOptions & {
      /**
       * Rows with equal values of these keys count as equal.
       * @defaultValue `["id"]`
       */
      readonly by?: KeyList<C>;
      /**
       * Which of several equal rows stays; `max`: the one with the largest `score`.
       * @defaultValue `"first"`
       */
      readonly keep?: "first" | "last" | "max";
      /** Key that `keep: max` compares. */
      readonly score?: KeyRef<C, "int" | "float">;
    }): Rows<C>;

    /**
     * Spreads similar rows out: by windows (at most `max_in_window` rows with the same value among
     * `window` consecutive rows) or, with `score`, by maximal marginal relevance (MMR).
     */
    diversify(params?: NodeOptions & {
      /** Keys whose values make two rows alike. */
      readonly by?: KeyList<C>;
      /**
       * Number of consecutive rows that a rule covers.
       * At least 1.
       * @defaultValue `2`
       */
      readonly window?: number;
      /**
       * How many rows with the same value may be in a window.
       * At least 1.
       * @defaultValue `1`
       */
      readonly maxInWindow?: number;
      /**
       * What to do when no row fits: break the rule, or drop the remaining rows.
       * @defaultValue `"break"`
       */
      readonly whenStuck?: "break" | "drop";
      /**
       * How many of the remaining rows are tried for each place.
       * At least 1.
       * @defaultValue `1000`
       */
      readonly lookahead?: number;
      /** Key of the relevance; if given, rows are chosen by MMR instead of windows. */
      readonly score?: KeyRef<C, "int" | "float">;
      /** MMR: keys whose values form the vectors that are compared by cosine. */
      readonly features?: KeyList<C, "int" | "float">;
      /**
       * MMR: 1 counts relevance only, 0 counts only how different rows are.
       * From 0 to 1.
       * @defaultValue `0.7`
       */
      readonly lambda?: number;
      /**
       * MMR: how many rows are chosen.
       * At least 0.
       * @defaultValue `0`
       */
      readonly count?: number;
    }): Rows<C>;

    /**
     * Keeps the rows for which the predicate is true; drops those where it is false or null. Copies
     * nothing.
     */
    filter(params: NodeOptions & {
      /** Condition that a row must meet to stay. */
      readonly pred: ExprParam<C, boolean>;
    }): Rows<C>;

    /** Keeps at most `count` rows of each group, those that come first. */
    groupLimit(params: NodeOptions & {
      /** Keys whose values define a group. */
      readonly by: KeyList<C>;
      /**
       * How many rows of a group stay.
       * At least 0.
       * @defaultValue `1`
       */
      readonly count?: number;
    }): Rows<C>;

    /**
     * Interleaves the rows of its inputs by a pattern or by weights; the result has all rows of all
     * inputs.
     */
    interleave<R extends AnyRows = never, I extends readonly AnyRows[] = []>(params?: NodeOptions & {
      /** Rows of one more input. */
      readonly rhs?: R;
      /**
       * Letters, `a` for the first input: `aab` takes two rows of the first input, then one of the
       * second, and repeats; by default each input in turn.
       * @defaultValue `""`
       */
      readonly pattern?: string;
      /**
       * Weight of each input, instead of a pattern.
       * @defaultValue `[]`
       */
      readonly weights?: readonly number[];
      /** More inputs, after the rows themselves: at most 63. */
      readonly inputs?: I;
    }): Rows<C | ColumnsOf<R> | ColumnsOf<I>>;

    /**
     * Joins rows with equal keys. A plan in which both sides have the same column is refused:
     * nothing is overwritten.
     */
    join<R extends AnyRows = never, const Y extends KeyMap<ColumnsOf<R>> = never, const J extends "inner" | "left" | "semi" | "anti" = "inner">(params: NodeOptions & {
      /** Rows to match with. */
      readonly rhs: R;
      /**
       * Keys that must be equal; null matches nothing.
       * @defaultValue `["id"]`
       */
      readonly by?: KeyList<C>;
      /** Names of these keys on the right side, if they differ from `by`. */
      readonly rhsBy?: KeyList<ColumnsOf<R>>;
      /**
       * Which rows the result has; `semi` and `anti` add no columns.
       * @defaultValue `"inner"`
       */
      readonly kind?: J;
      /**
       * Columns to take from the right side: keys, or new keys with the keys they are taken from;
       * by default all but `id` and those of `rhs_by`.
       */
      readonly columns?: Y;
    }): Rows<C | JoinedNames<J, "semi" | "anti", R, Y>>;

    /**
     * Keeps random rows, in input order. The random number of a row depends only on its id and the
     * seed (SplitMix64), so the same rows stay in every run.
     */
    sample(params?: NodeOptions & {
      /**
       * How many rows stay.
       * At least 0.
       */
      readonly count?: number;
      /**
       * Share of rows that stay.
       * From 0 to 1.
       */
      readonly rate?: number;
      /**
       * Seed that is the same in every request; by default it is made from the request's seed and
       * the node.
       */
      readonly seed?: number;
    }): Rows<C>;

    /** Leaves out the first `count` rows. */
    skip(params: NodeOptions & {
      /**
       * How many rows to leave out.
       * At least 0.
       */
      readonly count: number;
    }): Rows<C>;

    /** Waits without using a thread, then gives its input; for tests and benchmarks. */
    sleep(params: NodeOptions & {
      /**
       * How long to wait, in milliseconds.
       * From 0 to 3600000.
       */
      readonly durationMs: number;
      /**
       * Then fail.
       * @defaultValue `false`
       */
      readonly failAfterSleep?: boolean;
    }): Rows<C>;

    /** Orders the rows; null and NaN come last whatever the direction, ties go by id. */
    sort(params?: NodeOptions & {
      /** Key to order by. */
      readonly key?: KeyRef<C>;
      /**
       * Direction of `key`.
       * @defaultValue `"asc"`
       */
      readonly order?: "asc" | "desc";
      /** Several keys with their directions, the first one first, instead of `key`. */
      readonly by?: OrderParam<C>;
    }): Rows<C>;

    /** Keeps the first `count` rows. */
    take(params: NodeOptions & {
      /**
       * How many rows to keep.
       * At least 0.
       */
      readonly count: number;
    }): Rows<C>;

    /**
     * Gives exactly what `sort` and then `take` give, without ordering the rest; the compiler puts
     * it in their place.
     */
    topK(params: NodeOptions & {
      /** Keys to order by, the first one first. */
      readonly order: OrderParam<C>;
      /**
       * How many rows to keep.
       * At least 0.
       */
      readonly count: number;
    }): Rows<C>;

    /**
     * Writes one key from an expression; `on_row_error` says what happens to rows whose expression
     * fails. A node without params passes its rows through.
     */
    vm<K extends WritableName = never, T extends TypeName = TypeName>(params: NodeOptions & {
      /** Key to which the result is written. */
      readonly outKey: KeyRef<K, T>;
      /** Expression computed for each row; without it and `out_key` the rows pass unchanged. */
      readonly expr: ExprParam<C, ValueTypes[NoInfer<T>]>;
    }): Rows<C | K>;

    /** The same as `vm`. */
    transform<K extends WritableName = never, T extends TypeName = TypeName>(params: NodeOptions & {
      /** Key to which the result is written. */
      readonly outKey: KeyRef<K, T>;
      /** Expression computed for each row; without it and `out_key` the rows pass unchanged. */
      readonly expr: ExprParam<C, ValueTypes[NoInfer<T>]>;
    }): Rows<C | K>;
  }
}
