import { defineFragment, type Rows } from "@millrace/dsl";

/** Writes `freshness`: 1 for what is new, half of it after each half-life. */
export const withFreshness = defineFragment({
  name: "freshness",
  version: "2",
  build: <C extends string>(rows: Rows<C | "created_at">) => {
    const age = Fn.max(0, coalesce(Req.at_s, Fn.now() / 1000) - Key.created_at);
    return rows.vm({ outKey: Key.freshness, expr: Fn.pow(0.5, age / P.half_life_s) });
  },
  versions: {
    // Linear: nothing is left after two half-lives.
    "1": (rows) => {
      const age = Fn.max(0, coalesce(Req.at_s, Fn.now() / 1000) - Key.created_at);
      return rows.vm({ outKey: Key.freshness, expr: Fn.max(0, 1 - age / (2 * P.half_life_s)) });
    },
  },
});
