// Generated from the task manifest of rankd by `dslc codegen`; do not edit.

declare namespace Millrace {
  interface Sources {
    /**
     * Gives the rows that the request brings along in `candidates`, in that order, with the keys
     * given there; a key that a candidate lacks is null. Needs no data store. Fails if the request
     * has no `candidates`.
     */
    candidates<K extends KeyName = StoredName>(params?: NodeOptions & {
      /**
       * Keys to take from the request; by default those that something downstream reads and plans
       * may not write.
       */
      readonly keys?: KeyList<K>;
    }): Rows<"id" | K>;

    /** Gives rows with the ids 1 to `row_count`; for tests and benchmarks. */
    fixedSource(params?: NodeOptions & {
      /**
       * How many rows there are.
       * From 0 to 10000000.
       * @defaultValue `1`
       */
      readonly rowCount?: number;
    }): Rows<"id">;

    /**
     * LRANGE of the key that `pattern` gives for each row, all in one round trip: the ids in its
     * list, by row, then by place in the list. Without an input it reads one list, and names in
     * `pattern` are fields of the request.
     */
    list<const P extends string = string>(params: NodeOptions & {
      /** Store that has the lists. */
      readonly endpoint: Endpoint;
      /**
       * Key of a row's list, as `saved:{id}`; without an input, of the one list, as `trending` or
       * `history:{user_id}`.
       */
      readonly pattern: KeyPattern<P, RequestName>;
      /**
       * How many items of a list are taken, from its start.
       * From 1 to 100000.
       * @defaultValue `100`
       */
      readonly fanout?: number;
    }): Rows<"id">;

    /**
     * SMEMBERS of the key that `pattern` gives for each row, all in one round trip: all ids in its
     * set, by row, then by id. A set of more than 100000 members fails the node. Without an input
     * it reads one set, and names in `pattern` are fields of the request.
     */
    setMembers<const P extends string = string>(params: NodeOptions & {
      /** Store that has the sets. */
      readonly endpoint: Endpoint;
      /**
       * Key of a row's set, as `tagged:{id}`; without an input, of the one that is read, as
       * `blocked` or `blocked:{user_id}`.
       */
      readonly pattern: KeyPattern<P, RequestName>;
    }): Rows<"id">;

    /**
     * ZRANGE of the key that `pattern` gives for each row, all in one round trip: the ids in its
     * sorted set, by row, then by score; equal scores by the text of the id, as in Redis. Without
     * an input it reads one sorted set, and names in `pattern` are fields of the request.
     */
    sortedSet<const P extends string = string, K extends WritableName = never, T extends "float" = "float">(params: NodeOptions & {
      /** Store that has the sorted sets. */
      readonly endpoint: Endpoint;
      /**
       * Key of a row's sorted set, as `top:{country}`; without an input, of the one that is read,
       * as `trending` or `feed:{user_id}`.
       */
      readonly pattern: KeyPattern<P, RequestName>;
      /**
       * Which members come first: those of the lowest scores, or of the highest (REV).
       * @defaultValue `"asc"`
       */
      readonly order?: "asc" | "desc";
      /**
       * How many members of a sorted set are taken, in that order.
       * From 1 to 100000.
       * @defaultValue `100`
       */
      readonly fanout?: number;
      /** Key that gets the score of a member; one that is not finite is null, and a row error. */
      readonly withScores?: KeyRef<K, T>;
    }): Rows<"id" | K>;

    /**
     * HGETALL of `user:{user_id}`: one row whose id is the user of the request, with the registered
     * fields that something reads. A user without a profile is a row of nulls.
     */
    viewer<const P extends string = string>(params: NodeOptions & {
      /** Store that has the profile. */
      readonly endpoint: Endpoint;
      /**
       * Key of the profile; names in it are fields of the request.
       * @defaultValue `"user:{user_id}"`
       */
      readonly pattern?: KeyPattern<P, RequestName>;
    }): Rows<"id" | StoredName>;
  }
}
