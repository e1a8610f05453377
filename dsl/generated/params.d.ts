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
    readonly age: RequestOf<"age", "int">;
    readonly author_id: RequestOf<"author_id", "int">;
    readonly boost: RequestOf<"boost", "float">;
    readonly category: RequestOf<"category", "string">;
    readonly country: RequestOf<"country", "string">;
    readonly created_at: RequestOf<"created_at", "int">;
    readonly deadline_ms: RequestOf<"deadline_ms", "int">;
    readonly half_life_s: RequestOf<"half_life_s", "float">;
    readonly id: RequestOf<"id", "int">;
    readonly language: RequestOf<"language", "string">;
    readonly likes: RequestOf<"likes", "int">;
    readonly limit: RequestOf<"limit", "int">;
    readonly min_age: RequestOf<"min_age", "int">;
    readonly min_score: RequestOf<"min_score", "float">;
    readonly name: RequestOf<"name", "string">;
    readonly parent_id: RequestOf<"parent_id", "int">;
    readonly request_id: RequestOf<"request_id", "string">;
    readonly response: RequestOf<"response", "string">;
    readonly score: RequestOf<"score", "float">;
    readonly seed: RequestOf<"seed", "int">;
    readonly source: RequestOf<"source", "string">;
    readonly total: RequestOf<"total", "int">;
    readonly user_id: RequestOf<"user_id", "int">;
    readonly verified: RequestOf<"verified", "bool">;
    readonly views: RequestOf<"views", "int">;
    readonly weight: RequestOf<"weight", "float">;
  }
}
