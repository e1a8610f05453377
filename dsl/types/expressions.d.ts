// The builder forms `E` and `Pred`, the natural functions `Fn`, and `coalesce`.

declare namespace Millrace {
  type Num = Operand<number>;
  type Str = Operand<string>;
  type Bool = Operand<boolean>;
  type Any = Operand<Value>;
  type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

  /** Functions of one number, of two, of many; what each gives is said where it is listed. */
  type Unary<V extends Value, A extends Any> = <X extends A>(x: X) => Expr<V, ReadsOf<X>>;
  type Binary<V extends Value, A extends Any> = <X extends A, Y extends A>(
    x: X,
    y: Y,
  ) => Expr<V, ReadsOf<X> | ReadsOf<Y>>;
  type Variadic<V extends Value, A extends Any> = <X extends readonly [A, ...A[]]>(
    ...values: X
  ) => Expr<V, ReadsOf<X[number]>>;

  /** Builder forms of values. */
  interface ValueForms {
    /** The value of a key in each row. */
    key<N extends KeyName, T extends TypeName>(key: KeyRef<N, T>): Expr<ValueTypes[T], N>;
    /** A constant; a whole number is an int, `float` makes it a float; a bigint may exceed 2^53. */
    const<V extends Value | bigint>(value: V): Expr<PlainOf<V>, never>;
    /** A constant float, also where the number is whole: `E.float(2)` is `2.0`. */
    float(value: number): Expr<number, never>;
    /** No value. */
    null(): Expr<never, never>;
    /** A registered param: `$weight`. */
    param<A extends Value & Ref<`$${keyof Params & string}`>>(param: A): Expr<PlainOf<A>, never>;
    /** A field of the request: `$req.country`. */
    req<A extends Value & Ref<`$req.${string}`>>(field: A): Expr<PlainOf<A>, never>;
    /** A field of the viewer: `viewer.country`. */
    viewer<A extends Value & Ref<`viewer.${string}`>>(field: A): Expr<PlainOf<A>, never>;

    /** `x + y`: int, float if one is; null if one is. */
    add: Binary<number, Num>;
    /** `x - y` */
    sub: Binary<number, Num>;
    /** `x * y` */
    mul: Binary<number, Num>;
    /** `x / y`: always float; null where y is 0. */
    div: Binary<number, Num>;
    /** `x % y`: has the sign of x; null where y is 0. */
    mod: Binary<number, Num>;
    /** `-x` */
    neg: Unary<number, Num>;

    /** The first operand that is not null. */
    coalesce<X extends readonly [Any, ...Any[]]>(
      ...values: X
    ): Expr<PlainOf<X[number]>, ReadsOf<X[number]>>;
    /** `yes` where the condition is true, else `no`, also where it is null. */
    if<P extends Bool, A extends Any, B extends Operand<PlainOf<A>>>(
      condition: P,
      yes: A,
      no: B,
    ): Expr<PlainOf<A>, ReadsOf<P> | ReadsOf<A> | ReadsOf<B>>;
    /** The smallest; null if one is. */
    min: Variadic<number, Num>;
    /** The largest; null if one is. */
    max: Variadic<number, Num>;
    /** `min(max(x, low), high)` */
    clamp<X extends Num, L extends Num, H extends Num>(
      x: X,
      low: L,
      high: H,
    ): Expr<number, ReadsOf<X> | ReadsOf<L> | ReadsOf<H>>;
    /** The absolute value. */
    abs: Unary<number, Num>;
    /** The next whole number below. */
    floor: Unary<number, Num>;
    /** The next whole number above. */
    ceil: Unary<number, Num>;
    /** The nearest whole number; halves go away from zero. */
    round: Unary<number, Num>;
    /** The square root. */
    sqrt: Unary<number, Num>;
    /** e to the power x. */
    exp: Unary<number, Num>;
    /** The natural logarithm. */
    log: Unary<number, Num>;
    /** x to the power y. */
    pow: Binary<number, Num>;
    /** `1 / (1 + exp(-x))` */
    sigmoid: Unary<number, Num>;
    /** Number of code points of a text. */
    length: Unary<number, Str>;
    /** A text with A to Z as a to z. */
    lower: Unary<string, Str>;
    /** A whole number from 0 to 2^63 - 1, the same on every machine. */
    hash: Unary<number, Any>;
    /** Milliseconds since 1970 UTC, read once per request. */
    now(): Expr<number, never>;
  }

  /** Builder forms of conditions. */
  interface ConditionForms {
    /** Compares two values: `Pred.cmp(">=", E.key(Key.score), E.const(0.5))`. */
    cmp<X extends Any, Y extends Operand<PlainOf<X>>>(
      operator: Comparison,
      x: X,
      y: Y,
    ): Expr<boolean, ReadsOf<X> | ReadsOf<Y>>;
    /** All are true. */
    and: Variadic<boolean, Bool>;
    /** One is true. */
    or: Variadic<boolean, Bool>;
    /** It is false. */
    not: Unary<boolean, Bool>;
    /** The value equals one of these. */
    in<X extends Any, const L extends readonly Operand<PlainOf<X>>[]>(
      x: X,
      values: L,
    ): Expr<boolean, ReadsOf<X> | ReadsOf<L>>;
    /** The value equals none of these; also where it is null. */
    notIn<X extends Any, const L extends readonly Operand<PlainOf<X>>[]>(
      x: X,
      values: L,
    ): Expr<boolean, ReadsOf<X> | ReadsOf<L>>;
    /** The RE2 expression matches anywhere in the text; flags i, m and s. */
    matches<X extends Str>(x: X, pattern: RegExp): Expr<boolean, ReadsOf<X>>;
    /** There is no value. */
    isNull: Unary<boolean, Any>;
    /** There is a value. */
    isNotNull: Unary<boolean, Any>;
    /** The text has this part, by bytes. */
    contains: Binary<boolean, Str>;
    /** The text starts so, by bytes. */
    startsWith: Binary<boolean, Str>;
    /** A bool key, param or constant as a condition. */
    is: Unary<boolean, Bool>;
  }

  /** The first value that is not null; all of one type. */
  interface Coalesce {
    (first: number | null, ...others: (number | null)[]): number;
    (first: string | null, ...others: (string | null)[]): string;
    (first: boolean | null, ...others: (boolean | null)[]): boolean;
  }

  /** The functions of expressions, for natural ones: `Fn.sigmoid(Key.score)`. */
  interface NaturalFunctions {
    /** The first value that is not null. */
    coalesce: Coalesce;
    /** The same as `condition ? yes : no`. */
    if<V extends Value>(condition: boolean, yes: V, no: V): V;
    /** The smallest; null if one is. */
    min(first: number, second: number, ...others: number[]): number;
    /** The largest; null if one is. */
    max(first: number, second: number, ...others: number[]): number;
    /** `min(max(x, low), high)` */
    clamp(x: number, low: number, high: number): number;
    /** The absolute value. */
    abs(x: number): number;
    /** The next whole number below. */
    floor(x: number): number;
    /** The next whole number above. */
    ceil(x: number): number;
    /** The nearest whole number; halves go away from zero, unlike `Math.round`. */
    round(x: number): number;
    /** The square root. */
    sqrt(x: number): number;
    /** e to the power x. */
    exp(x: number): number;
    /** The natural logarithm. */
    log(x: number): number;
    /** x to the power y. */
    pow(x: number, y: number): number;
    /** `1 / (1 + exp(-x))` */
    sigmoid(x: number): number;
    /** Number of code points of a text. */
    length(text: string): number;
    /** A text with A to Z as a to z. */
    lower(text: string): string;
    /** The text has this part, by bytes. */
    contains(text: string, part: string): boolean;
    /** The text starts so, by bytes. */
    startsWith(text: string, prefix: string): boolean;
    /** A whole number from 0 to 2^63 - 1, the same on every machine. */
    hash(x: Value): number;
    /** Milliseconds since 1970 UTC, read once per request. */
    now(): number;
    /** The RE2 expression matches anywhere in the text. */
    matches(text: string, pattern: RegExp): boolean;
    /** There is no value. */
    isNull(x: Value): boolean;
    /** There is a value. */
    isNotNull(x: Value): boolean;
    /** The value equals one of these. */
    in<V extends Value>(x: V, values: readonly V[]): boolean;
    /** The value equals none of these; also where it is null. */
    notIn<V extends Value>(x: V, values: readonly V[]): boolean;
  }
}

/** The first value that is not null: `coalesce(P.weight, 0.5)`. */
declare const coalesce: Millrace.Coalesce;
/** Functions of expressions: `Fn.clamp(Key.score, 0, 1)`. */
declare const Fn: Millrace.NaturalFunctions;
/** Keys: columns of rows. */
declare const Key: Millrace.Keys;
/** Registered params, set by `param_overrides` of a request. */
declare const P: Millrace.Params;
/** Fields of the request: `Req.country` is `$req.country`. */
declare const Req: Millrace.RequestFields;
/** Fields of the user who asks: `Viewer.country` is `viewer.country`. */
declare const Viewer: Millrace.ViewerFields;
/** Endpoints by kind: `EP.redis.redis_default`. */
declare const EP: Millrace.Endpoints;
