// Values of expressions, as TypeScript sees them. A numeric key is a `number` with a mark, so that
// natural arithmetic type-checks in any editor; what it stands for exists only when rows are ranked.

declare namespace Millrace {
  const name: unique symbol;
  const type: unique symbol;
  const value: unique symbol;
  const reads: unique symbol;

  /** TypeScript's type for each type of the registry. */
  interface ValueTypes {
    int: number;
    float: number;
    bool: boolean;
    string: string;
  }
  type TypeName = keyof ValueTypes;
  type Value = number | string | boolean;

  /** Keys of the registry by name; filled by generated/keys.d.ts. */
  interface Keys {}
  /** Params of the registry by name; filled by generated/params.d.ts. */
  interface Params {}
  /** Fields of the request by name; filled by generated/params.d.ts. */
  interface RequestFields {}
  /** Fields of the viewer by name; filled by generated/keys.d.ts. */
  interface ViewerFields {}
  /** Names of keys that plans may write, and of those that tasks fetch; filled by generated/keys.d.ts. */
  interface KeySets {}

  type KeyName = keyof Keys & string;
  type WritableName = KeySets extends { writable: infer N extends string } ? N : never;
  /**
   * Keys that a task fetches without being told (`viewer`, `hydrate`). A key that plans may write is
   * not among them: write it upstream, or name it in `keys`.
   */
  type StoredName = KeySets extends { stored: infer N extends string } ? N : never;

  /**
   * What a value of an expression stands for: `score`, `$weight`, `$req.country`, `viewer.country`.
   * Every mark also admits "", so that TypeScript lets any two values be compared.
   */
  interface Ref<N extends string, T extends TypeName = TypeName> {
    readonly [name]: N | "";
    readonly [type]: T | "";
  }
  /** A key by its name: what params such as `sort.key` take. */
  type KeyRef<N extends string = KeyName, T extends TypeName = TypeName> = Ref<N, T>;

  /** What every value of an expression can be asked. */
  interface Tests<V extends Value> {
    /** True where the value equals one of these. Null equals nothing. */
    in(values: readonly V[]): boolean;
    /** True where the value equals none of these; also where it is null. */
    notIn(values: readonly V[]): boolean;
    /** True where there is no value; never null itself. */
    isNull(): boolean;
    /** True where there is a value. */
    isNotNull(): boolean;
  }
  interface TextTests extends Tests<string> {
    /** True where the RE2 expression matches anywhere; flags i, m and s. */
    matches(pattern: RegExp): boolean;
    /** True where the text has this part, by bytes. */
    contains(part: string): boolean;
    /** The text with A to Z as a to z. */
    lower(): string;
  }

  type Numeric = number & Tests<number>;
  type Text = string & TextTests;
  type Flag = boolean & Tests<boolean>;
  type ValueOf<T extends TypeName> = T extends "string" ? Text : T extends "bool" ? Flag : Numeric;

  type KeyOf<N extends string, T extends TypeName> = ValueOf<T> & KeyRef<N, T>;
  type ParamOf<N extends string, T extends TypeName> = ValueOf<T> & Ref<`$${N}`, T>;
  type RequestOf<N extends string, T extends TypeName> = ValueOf<T> & Ref<`$req.${N}`, T>;
  type ViewerOf<N extends string, T extends TypeName> = ValueOf<T> & Ref<`viewer.${N}`, T>;

  /** A row inside a callback: the keys that it has at that place of the plan. */
  type Row<C extends string> = { readonly [N in C & KeyName]: Keys[N] };

  /** An expression made by builder forms: its value and the keys that it reads. */
  interface Expr<out V extends Value, out R extends string = string> {
    readonly [value]: V;
    readonly [reads]: R;
  }

  /** What a param that is an expression takes: natural, in builder forms, or as a callback. */
  type ExprParam<C extends string, V extends Value> = V | Expr<V, C> | ((row: Row<C>) => V | null);

  /** What builder forms take as an operand. */
  type Operand<V extends Value> = V | Expr<V>;
  /** The keys that an operand reads. */
  type ReadsOf<A> =
    A extends Expr<Value, infer R>
      ? R
      : A extends Ref<infer N>
        ? N & KeyName
        : A extends readonly (infer I)[]
          ? ReadsOf<I>
          : never;
  /** The value of an operand, without its marks. */
  type PlainOf<A> =
    A extends Expr<infer V>
      ? V
      : A extends number | bigint
        ? number
        : A extends string
          ? string
          : A extends boolean
            ? boolean
            : never;
}
