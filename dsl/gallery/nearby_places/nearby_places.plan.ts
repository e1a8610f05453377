// Places around the user that are open: near and well rated ones first. Distance is computed on the
// plane, which is good enough for a few kilometres.
import { definePlan } from "@millrace/dsl";

const store = { endpoint: EP.redis.main };
const KM_PER_DEGREE = 111.32;
const RADIANS = Math.PI / 180;

/** Kilometres between a row and the user; the cosine of a latitude by the first terms of its series. */
function distance() {
  const x = Req.lat * RADIANS;
  const cosine = 1 - Fn.pow(x, 2) / 2 + Fn.pow(x, 4) / 24 - Fn.pow(x, 6) / 720;
  const north = (Key.lat - Req.lat) * KM_PER_DEGREE;
  const east = (Key.lon - Req.lon) * KM_PER_DEGREE * cosine;
  return Fn.sqrt(north * north + east * east);
}

export default definePlan({
  name: "nearby_places",
  outputKeys: [Key.id, Key.name, Key.distance_km, Key.score],
  build: (ctx) => {
    const me = ctx.viewer(store);
    const places = me
      .recommendation({ ...store, pattern: "places:{country}", fanout: 1000 })
      .hydrate({
        ...store,
        prefix: "place",
        keys: [Key.name, Key.category, Key.lat, Key.lon, Key.rating, Key.votes, Key.open],
      });
    const near = places
      .vm({ outKey: Key.distance_km, expr: distance() })
      .filter({ pred: Key.distance_km <= P.radius_km && Key.open });
    return near
      .vm({
        outKey: Key.score,
        expr: (row) =>
          ((row.rating * row.votes + 35) / (row.votes + 10)) * Fn.exp(-row.distance_km / 2),
      })
      .sort({
        by: [
          { key: Key.score, order: "desc" },
          { key: Key.distance_km, order: "asc" },
        ],
      })
      .groupLimit({ by: Key.category, count: 3 })
      .take({ count: 6 });
  },
});
