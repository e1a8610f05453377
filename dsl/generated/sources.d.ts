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
     * HGETALL of `user:{user_id}`: one row whose id is the user of the request, with the registered
     * fields that something reads. A user without a profile is a row of nulls.
     */
    viewer(params: NodeOptions & {
      /** Store that has the profile. */
      readonly endpoint: Endpoint;
      /**
       * Key of the profile; its name is a field of the request.
       * @defaultValue `"user:{user_id}"`
       */
      readonly pattern?: KeyPattern<keyof RequestFields & string>;
    }): Rows<"id" | StoredName>;
  }
}
