// Generated from the task manifest of rankd by `dslc codegen`; do not edit.

declare namespace Millrace {
  interface Rows<C extends string> {
    /**
     * LRANGE of `follow:{id}` for each row, all in one round trip: the users that it follows, by
     * row, then by place in the list.
     */
    follow<const P extends string = string, const Y extends KeyMap<C> = never>(params: NodeOptions & {
      /** Store that has the lists. */
      readonly endpoint: Endpoint;
      /**
       * Key of a row's list.
       * @defaultValue `"follow:{id}"`
       */
      readonly pattern?: KeyPattern<P, C>;
      /**
       * How many items of a list are taken, from its start.
       * From 1 to 100000.
       * @defaultValue `100`
       */
      readonly fanout?: number;
      /**
       * Columns that the new rows take along from the row they come from: keys, or new keys with
       * the keys they are taken from; by default none.
       */
      readonly carry?: Y;
    }): Rows<"id" | "parent_id" | TakenNames<Y>>;

    /**
     * GETs a JSON document per row, or one for all, and puts one of its fields into a column. All
     * requests leave at once, each url once. A page that does not exist (404, 410) and a field that
     * is missing are null; a field that is not of the key's type is null and counts as a row error.
     * Any other status, an answer that is no JSON, and a server that does not answer fail the node.
     * Without endpoint, path, field and out_key it fetches nothing and gives its rows.
     */
    httpFetch<K extends WritableName = never, T extends TypeName = TypeName>(params?: NodeOptions & {
      /** HTTP endpoint to ask. */
      readonly endpoint?: Endpoint;
      /**
       * Path to GET. `{id}` in it makes one request per row, and so does `{by}`, the value of the
       * key `by`; both are percent-encoded. Without them one request serves all rows.
       */
      readonly path?: string;
      /** Field of the JSON answer, as `/a/b` (RFC 6901). */
      readonly field?: string;
      /** Key that gets the field. */
      readonly outKey?: KeyRef<K, T>;
      /** Key whose value `{by}` stands for. */
      readonly by?: KeyRef<C>;
      /**
       * Longest answer that is read.
       * From 1 to 16777216.
       * @defaultValue `65536`
       */
      readonly bodyBytesMax?: number;
    }): Rows<C | K>;

    /**
     * Fetches fields of the hash `prefix:{id}` of each row into columns, all in one round trip, and
     * only keys that something downstream reads (HMGET). A missing hash or field is null; so is a
     * value that is not of the key's type, which counts as a row error.
     */
    hydrate<K extends KeyName = StoredName>(params: NodeOptions & {
      /** Store that has the hashes. */
      readonly endpoint: Endpoint;
      /** The key of a row is `prefix:{by}`. */
      readonly prefix: string;
      /**
       * Key whose value stands behind the prefix.
       * @defaultValue `"id"`
       */
      readonly by?: KeyRef<C, "int" | "string">;
      /** Keys to fetch; by default those that something downstream reads. */
      readonly keys?: KeyList<K>;
    }): Rows<C | K>;

    /**
     * LRANGE of the key that `pattern` gives for each row, all in one round trip: the ids in its
     * list, by row, then by place in the list. Without an input it reads one list, and names in
     * `pattern` are fields of the request.
     */
    list<const P extends string = string, const Y extends KeyMap<C> = never>(params: NodeOptions & {
      /** Store that has the lists. */
      readonly endpoint: Endpoint;
      /**
       * Key of a row's list, as `saved:{id}`; without an input, of the one list, as `trending` or
       * `history:{user_id}`.
       */
      readonly pattern: KeyPattern<P, C>;
      /**
       * How many items of a list are taken, from its start.
       * From 1 to 100000.
       * @defaultValue `100`
       */
      readonly fanout?: number;
      /**
       * Columns that the new rows take along from the row they come from: keys, or new keys with
       * the keys they are taken from; by default none.
       */
      readonly carry?: Y;
    }): Rows<"id" | "parent_id" | TakenNames<Y>>;

    /**
     * Fetches the string `prefix:{id}` of each row into one column with one MGET. A missing one is
     * null; so is a value that is not of the key's type, which counts as a row error.
     */
    lookup<K extends WritableName = never, T extends TypeName = TypeName>(params: NodeOptions & {
      /** Store that has the strings. */
      readonly endpoint: Endpoint;
      /** The key of a row is `prefix:{by}`. */
      readonly prefix: string;
      /** Key that gets the value. */
      readonly outKey: KeyRef<K, T>;
      /**
       * Key whose value stands behind the prefix.
       * @defaultValue `"id"`
       */
      readonly by?: KeyRef<C, "int" | "string">;
    }): Rows<C | K>;

    /**
     * LRANGE of `media:{id}` for each row, all in one round trip: its media, by row, then by place
     * in the list.
     */
    media<const P extends string = string, const Y extends KeyMap<C> = never>(params: NodeOptions & {
      /** Store that has the lists. */
      readonly endpoint: Endpoint;
      /**
       * Key of a row's list.
       * @defaultValue `"media:{id}"`
       */
      readonly pattern?: KeyPattern<P, C>;
      /**
       * How many items of a list are taken, from its start.
       * From 1 to 100000.
       * @defaultValue `100`
       */
      readonly fanout?: number;
      /**
       * Columns that the new rows take along from the row they come from: keys, or new keys with
       * the keys they are taken from; by default none.
       */
      readonly carry?: Y;
    }): Rows<"id" | "parent_id" | TakenNames<Y>>;

    /**
     * LRANGE of `recommendation:{id}` for each row, all in one round trip: what is recommended to
     * it, by row, then by place in the list.
     */
    recommendation<const P extends string = string, const Y extends KeyMap<C> = never>(params: NodeOptions & {
      /** Store that has the lists. */
      readonly endpoint: Endpoint;
      /**
       * Key of a row's list.
       * @defaultValue `"recommendation:{id}"`
       */
      readonly pattern?: KeyPattern<P, C>;
      /**
       * How many items of a list are taken, from its start.
       * From 1 to 100000.
       * @defaultValue `100`
       */
      readonly fanout?: number;
      /**
       * Columns that the new rows take along from the row they come from: keys, or new keys with
       * the keys they are taken from; by default none.
       */
      readonly carry?: Y;
    }): Rows<"id" | "parent_id" | TakenNames<Y>>;

    /**
     * SMEMBERS of the key that `pattern` gives for each row, all in one round trip: all ids in its
     * set, by row, then by id. A set of more than 100000 members fails the node. Without an input
     * it reads one set, and names in `pattern` are fields of the request.
     */
    setMembers<const P extends string = string, const Y extends KeyMap<C> = never>(params: NodeOptions & {
      /** Store that has the sets. */
      readonly endpoint: Endpoint;
      /**
       * Key of a row's set, as `tagged:{id}`; without an input, of the one that is read, as
       * `blocked` or `blocked:{user_id}`.
       */
      readonly pattern: KeyPattern<P, C>;
      /**
       * Columns that the new rows take along from the row they come from: keys, or new keys with
       * the keys they are taken from; by default none.
       */
      readonly carry?: Y;
    }): Rows<"id" | "parent_id" | TakenNames<Y>>;

    /**
     * ZRANGE of the key that `pattern` gives for each row, all in one round trip: the ids in its
     * sorted set, by row, then by score; equal scores by the text of the id, as in Redis. Without
     * an input it reads one sorted set, and names in `pattern` are fields of the request.
     */
    sortedSet<const P extends string = string, K extends WritableName = never, T extends "float" = "float", const Y extends KeyMap<C> = never>(params: NodeOptions & {
      /** Store that has the sorted sets. */
      readonly endpoint: Endpoint;
      /**
       * Key of a row's sorted set, as `top:{country}`; without an input, of the one that is read,
       * as `trending` or `feed:{user_id}`.
       */
      readonly pattern: KeyPattern<P, C>;
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
      /**
       * Columns that the new rows take along from the row they come from: keys, or new keys with
       * the keys they are taken from; by default none.
       */
      readonly carry?: Y;
    }): Rows<"id" | "parent_id" | K | TakenNames<Y>>;
  }
}
