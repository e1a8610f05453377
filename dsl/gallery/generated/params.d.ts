// Generated from registry/params.toml and registry/keys.toml by `dslc codegen`; do not edit.

declare namespace Millrace {
  interface Params {
    /**
     * Time to rank for, in seconds since 1970; now, if a request brings none.
     * `int`, null unless a request sets it
     */
    readonly at_s: ParamOf<"at_s", "int">;
    /**
     * Time after which freshness counts half.
     * `float`
     */
    readonly half_life_s: ParamOf<"half_life_s", "float">;
    /**
     * Item that the user looks at.
     * `int`, null unless a request sets it
     */
    readonly item_id: ParamOf<"item_id", "int">;
    /**
     * Highest price that the user wants to see.
     * `float`, null unless a request sets it
     */
    readonly max_price: ParamOf<"max_price", "float">;
    /**
     * Lowest score that is kept.
     * `float`
     */
    readonly min_score: ParamOf<"min_score", "float">;
    /**
     * What the user searches for.
     * `string`, null unless a request sets it
     */
    readonly query: ParamOf<"query", "string">;
    /**
     * How far away a place may be.
     * `float`
     */
    readonly radius_km: ParamOf<"radius_km", "float">;
    /**
     * How much an experiment weighs its signal.
     * `float`, null unless a request sets it
     */
    readonly weight: ParamOf<"weight", "float">;
  }

  interface RequestFields {
    readonly adult: RequestOf<"adult", "bool">;
    readonly age: RequestOf<"age", "int">;
    readonly at_s: RequestOf<"at_s", "int">;
    readonly author_id: RequestOf<"author_id", "int">;
    readonly category: RequestOf<"category", "string">;
    readonly country: RequestOf<"country", "string">;
    readonly created_at: RequestOf<"created_at", "int">;
    readonly deadline_ms: RequestOf<"deadline_ms", "int">;
    readonly distance_km: RequestOf<"distance_km", "float">;
    readonly duration_s: RequestOf<"duration_s", "int">;
    readonly freshness: RequestOf<"freshness", "float">;
    readonly half_life_s: RequestOf<"half_life_s", "float">;
    readonly id: RequestOf<"id", "int">;
    readonly item_id: RequestOf<"item_id", "int">;
    readonly kind: RequestOf<"kind", "string">;
    readonly language: RequestOf<"language", "string">;
    readonly lat: RequestOf<"lat", "float">;
    readonly likes: RequestOf<"likes", "int">;
    readonly limit: RequestOf<"limit", "int">;
    readonly lon: RequestOf<"lon", "float">;
    readonly max_price: RequestOf<"max_price", "float">;
    readonly min_score: RequestOf<"min_score", "float">;
    readonly muted: RequestOf<"muted", "bool">;
    readonly name: RequestOf<"name", "string">;
    readonly open: RequestOf<"open", "bool">;
    readonly parent_id: RequestOf<"parent_id", "int">;
    readonly price: RequestOf<"price", "float">;
    readonly quality: RequestOf<"quality", "float">;
    readonly query: RequestOf<"query", "string">;
    readonly radius_km: RequestOf<"radius_km", "float">;
    readonly rating: RequestOf<"rating", "float">;
    readonly request_id: RequestOf<"request_id", "string">;
    readonly score: RequestOf<"score", "float">;
    readonly seed: RequestOf<"seed", "int">;
    readonly shares: RequestOf<"shares", "int">;
    readonly source: RequestOf<"source", "string">;
    readonly title: RequestOf<"title", "string">;
    readonly topic_x: RequestOf<"topic_x", "float">;
    readonly topic_y: RequestOf<"topic_y", "float">;
    readonly urgency: RequestOf<"urgency", "int">;
    readonly user_id: RequestOf<"user_id", "int">;
    readonly verified: RequestOf<"verified", "bool">;
    readonly views: RequestOf<"views", "int">;
    readonly votes: RequestOf<"votes", "int">;
    readonly weight: RequestOf<"weight", "float">;
  }
}
