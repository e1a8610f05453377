// Generated from registry/keys.toml by `dslc codegen`; do not edit.

declare namespace Millrace {
  interface Keys {
    /**
     * Age in years.
     * `int`
     */
    readonly age: KeyOf<"age", "int">;
    /**
     * User who made an item.
     * `int`
     */
    readonly author_id: KeyOf<"author_id", "int">;
    /**
     * Factor that a plan applies to a score.
     * `float`, written by plans
     */
    readonly boost: KeyOf<"boost", "float">;
    /**
     * Kind of an item.
     * `string`
     */
    readonly category: KeyOf<"category", "string">;
    /**
     * ISO 3166 code of two letters.
     * `string`
     */
    readonly country: KeyOf<"country", "string">;
    /**
     * Time of creation, in seconds since 1970.
     * `int`
     */
    readonly created_at: KeyOf<"created_at", "int">;
    /**
     * Identity of a row.
     * `int`, never null
     */
    readonly id: KeyOf<"id", "int">;
    /**
     * ISO 639 code of two letters.
     * `string`
     */
    readonly language: KeyOf<"language", "string">;
    /**
     * Number of likes.
     * `int`
     */
    readonly likes: KeyOf<"likes", "int">;
    /**
     * Display name.
     * `string`
     */
    readonly name: KeyOf<"name", "string">;
    /**
     * Identity of the row that a fan-out started from.
     * `int`
     */
    readonly parent_id: KeyOf<"parent_id", "int">;
    /**
     * What an HTTP endpoint answered.
     * `string`, written by plans
     */
    readonly response: KeyOf<"response", "string">;
    /**
     * What candidates are ranked by.
     * `float`, written by plans
     */
    readonly score: KeyOf<"score", "float">;
    /**
     * Which input of a concat a row came from.
     * `string`
     */
    readonly source: KeyOf<"source", "string">;
    /**
     * A count or a sum that a plan computes.
     * `int`, written by plans
     */
    readonly total: KeyOf<"total", "int">;
    /**
     * Whether the account is verified.
     * `bool`
     */
    readonly verified: KeyOf<"verified", "bool">;
    /**
     * Number of views.
     * `int`
     */
    readonly views: KeyOf<"views", "int">;
  }

  interface KeySets {
    writable: "boost" | "response" | "score" | "total";
    stored:
      | "age"
      | "author_id"
      | "category"
      | "country"
      | "created_at"
      | "language"
      | "likes"
      | "name"
      | "verified"
      | "views";
  }

  interface ViewerFields {
    /** Age in years. */
    readonly age: ViewerOf<"age", "int">;
    /** User who made an item. */
    readonly author_id: ViewerOf<"author_id", "int">;
    /** Factor that a plan applies to a score. */
    readonly boost: ViewerOf<"boost", "float">;
    /** Kind of an item. */
    readonly category: ViewerOf<"category", "string">;
    /** ISO 3166 code of two letters. */
    readonly country: ViewerOf<"country", "string">;
    /** Time of creation, in seconds since 1970. */
    readonly created_at: ViewerOf<"created_at", "int">;
    /** Identity of a row. */
    readonly id: ViewerOf<"id", "int">;
    /** ISO 639 code of two letters. */
    readonly language: ViewerOf<"language", "string">;
    /** Number of likes. */
    readonly likes: ViewerOf<"likes", "int">;
    /** Display name. */
    readonly name: ViewerOf<"name", "string">;
    /** Identity of the row that a fan-out started from. */
    readonly parent_id: ViewerOf<"parent_id", "int">;
    /** What an HTTP endpoint answered. */
    readonly response: ViewerOf<"response", "string">;
    /** What candidates are ranked by. */
    readonly score: ViewerOf<"score", "float">;
    /** Which input of a concat a row came from. */
    readonly source: ViewerOf<"source", "string">;
    /** A count or a sum that a plan computes. */
    readonly total: ViewerOf<"total", "int">;
    /** Whether the account is verified. */
    readonly verified: ViewerOf<"verified", "bool">;
    /** Number of views. */
    readonly views: ViewerOf<"views", "int">;
  }
}
