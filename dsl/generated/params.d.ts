// Generated from registry/params.toml and registry/keys.toml by `dslc codegen`; do not edit.

declare namespace Millrace {
  interface Params {
    /**
     * Country to prefer.
     * `string`, null unless a request sets it
     */
    readonly country: ParamOf<"country", "string">;
    /**
     * Time after which freshness counts half, in seconds.
     * `float`
     */
    readonly half_life_s: ParamOf<"half_life_s", "float">;
    /**
     * Lowest age that is kept.
     * `int`
     */
    readonly min_age: ParamOf<"min_age", "int">;
    /**
     * Lowest score that is kept.
     * `float`, null unless a request sets it
     */
    readonly min_score: ParamOf<"min_score", "float">;
    /**
     * Factor of a score. Has no default: plans write coalesce($weight, ...).
     * `float`, null unless a request sets it
     */
    readonly weight: ParamOf<"weight", "float">;
  }

  interface RequestFields {
    readonly age: OutsideOf<"age", "int">;
    readonly author_id: OutsideOf<"author_id", "int">;
    readonly boost: OutsideOf<"boost", "float">;
    readonly category: OutsideOf<"category", "string">;
    readonly country: OutsideOf<"country", "string">;
    readonly created_at: OutsideOf<"created_at", "int">;
    readonly deadline_ms: OutsideOf<"deadline_ms", "int">;
    readonly half_life_s: OutsideOf<"half_life_s", "float">;
    readonly id: OutsideOf<"id", "int">;
    readonly language: OutsideOf<"language", "string">;
    readonly likes: OutsideOf<"likes", "int">;
    readonly limit: OutsideOf<"limit", "int">;
    readonly min_age: OutsideOf<"min_age", "int">;
    readonly min_score: OutsideOf<"min_score", "float">;
    readonly name: OutsideOf<"name", "string">;
    readonly parent_id: OutsideOf<"parent_id", "int">;
    readonly request_id: OutsideOf<"request_id", "string">;
    readonly response: OutsideOf<"response", "string">;
    readonly score: OutsideOf<"score", "float">;
    readonly seed: OutsideOf<"seed", "int">;
    readonly source: OutsideOf<"source", "string">;
    readonly user_id: OutsideOf<"user_id", "int">;
    readonly verified: OutsideOf<"verified", "bool">;
    readonly views: OutsideOf<"views", "int">;
    readonly weight: OutsideOf<"weight", "float">;
  }
}
