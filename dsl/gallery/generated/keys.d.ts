// Generated from registry/keys.toml by `dslc codegen`; do not edit.

declare namespace Millrace {
  interface Keys {
    /**
     * Whether an item is for adults only.
     * `bool`
     */
    readonly adult: KeyOf<"adult", "bool">;
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
     * How far away a place is.
     * `float`, written by plans
     */
    readonly distance_km: KeyOf<"distance_km", "float">;
    /**
     * Length of a video in seconds.
     * `int`
     */
    readonly duration_s: KeyOf<"duration_s", "int">;
    /**
     * 1 for what is new, half of it after each half-life.
     * `float`, written by plans
     */
    readonly freshness: KeyOf<"freshness", "float">;
    /**
     * Identity of a row.
     * `int`, never null
     */
    readonly id: KeyOf<"id", "int">;
    /**
     * What a notification tells of: reply, mention, like, follow, promo.
     * `string`
     */
    readonly kind: KeyOf<"kind", "string">;
    /**
     * ISO 639 code of two letters.
     * `string`
     */
    readonly language: KeyOf<"language", "string">;
    /**
     * Latitude in degrees.
     * `float`
     */
    readonly lat: KeyOf<"lat", "float">;
    /**
     * Number of likes.
     * `int`
     */
    readonly likes: KeyOf<"likes", "int">;
    /**
     * Longitude in degrees.
     * `float`
     */
    readonly lon: KeyOf<"lon", "float">;
    /**
     * Whether the reader has muted the sender.
     * `bool`
     */
    readonly muted: KeyOf<"muted", "bool">;
    /**
     * Display name.
     * `string`
     */
    readonly name: KeyOf<"name", "string">;
    /**
     * Whether a place is open now.
     * `bool`
     */
    readonly open: KeyOf<"open", "bool">;
    /**
     * Identity of the row that a fan-out started from.
     * `int`
     */
    readonly parent_id: KeyOf<"parent_id", "int">;
    /**
     * Price in euros.
     * `float`
     */
    readonly price: KeyOf<"price", "float">;
    /**
     * Editors' grade of an item, 0 to 1.
     * `float`, written by plans
     */
    readonly quality: KeyOf<"quality", "float">;
    /**
     * Mean of all votes, 1 to 5.
     * `float`
     */
    readonly rating: KeyOf<"rating", "float">;
    /**
     * What candidates are ranked by.
     * `float`, written by plans
     */
    readonly score: KeyOf<"score", "float">;
    /**
     * Number of shares.
     * `int`
     */
    readonly shares: KeyOf<"shares", "int">;
    /**
     * Which input of a concat a row came from.
     * `string`
     */
    readonly source: KeyOf<"source", "string">;
    /**
     * Headline of an item.
     * `string`
     */
    readonly title: KeyOf<"title", "string">;
    /**
     * First component of an item's topic.
     * `float`
     */
    readonly topic_x: KeyOf<"topic_x", "float">;
    /**
     * Second component of an item's topic.
     * `float`
     */
    readonly topic_y: KeyOf<"topic_y", "float">;
    /**
     * How soon a notification matters: 0 to 3.
     * `int`
     */
    readonly urgency: KeyOf<"urgency", "int">;
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
    /**
     * Number of votes.
     * `int`
     */
    readonly votes: KeyOf<"votes", "int">;
  }

  interface KeySets {
    writable: "distance_km" | "freshness" | "quality" | "score";
    stored:
      | "adult"
      | "age"
      | "author_id"
      | "category"
      | "country"
      | "created_at"
      | "duration_s"
      | "kind"
      | "language"
      | "lat"
      | "likes"
      | "lon"
      | "muted"
      | "name"
      | "open"
      | "price"
      | "rating"
      | "shares"
      | "title"
      | "topic_x"
      | "topic_y"
      | "urgency"
      | "verified"
      | "views"
      | "votes";
  }

  interface ViewerFields {
    /** Whether an item is for adults only. */
    readonly adult: ViewerOf<"adult", "bool">;
    /** Age in years. */
    readonly age: ViewerOf<"age", "int">;
    /** User who made an item. */
    readonly author_id: ViewerOf<"author_id", "int">;
    /** Kind of an item. */
    readonly category: ViewerOf<"category", "string">;
    /** ISO 3166 code of two letters. */
    readonly country: ViewerOf<"country", "string">;
    /** Time of creation, in seconds since 1970. */
    readonly created_at: ViewerOf<"created_at", "int">;
    /** How far away a place is. */
    readonly distance_km: ViewerOf<"distance_km", "float">;
    /** Length of a video in seconds. */
    readonly duration_s: ViewerOf<"duration_s", "int">;
    /** 1 for what is new, half of it after each half-life. */
    readonly freshness: ViewerOf<"freshness", "float">;
    /** Identity of a row. */
    readonly id: ViewerOf<"id", "int">;
    /** What a notification tells of: reply, mention, like, follow, promo. */
    readonly kind: ViewerOf<"kind", "string">;
    /** ISO 639 code of two letters. */
    readonly language: ViewerOf<"language", "string">;
    /** Latitude in degrees. */
    readonly lat: ViewerOf<"lat", "float">;
    /** Number of likes. */
    readonly likes: ViewerOf<"likes", "int">;
    /** Longitude in degrees. */
    readonly lon: ViewerOf<"lon", "float">;
    /** Whether the reader has muted the sender. */
    readonly muted: ViewerOf<"muted", "bool">;
    /** Display name. */
    readonly name: ViewerOf<"name", "string">;
    /** Whether a place is open now. */
    readonly open: ViewerOf<"open", "bool">;
    /** Identity of the row that a fan-out started from. */
    readonly parent_id: ViewerOf<"parent_id", "int">;
    /** Price in euros. */
    readonly price: ViewerOf<"price", "float">;
    /** Editors' grade of an item, 0 to 1. */
    readonly quality: ViewerOf<"quality", "float">;
    /** Mean of all votes, 1 to 5. */
    readonly rating: ViewerOf<"rating", "float">;
    /** What candidates are ranked by. */
    readonly score: ViewerOf<"score", "float">;
    /** Number of shares. */
    readonly shares: ViewerOf<"shares", "int">;
    /** Which input of a concat a row came from. */
    readonly source: ViewerOf<"source", "string">;
    /** Headline of an item. */
    readonly title: ViewerOf<"title", "string">;
    /** First component of an item's topic. */
    readonly topic_x: ViewerOf<"topic_x", "float">;
    /** Second component of an item's topic. */
    readonly topic_y: ViewerOf<"topic_y", "float">;
    /** How soon a notification matters: 0 to 3. */
    readonly urgency: ViewerOf<"urgency", "int">;
    /** Whether the account is verified. */
    readonly verified: ViewerOf<"verified", "bool">;
    /** Number of views. */
    readonly views: ViewerOf<"views", "int">;
    /** Number of votes. */
    readonly votes: ViewerOf<"votes", "int">;
  }
}
