// Short videos: mostly what will be watched to the end, one in four something new that is chosen by
// chance, the same for every request with the same seed.
import { definePlan } from "@millrace/dsl";

const store = { endpoint: EP.redis.main };
const LONG_S = 60;

export default definePlan({
  name: "short_videos",
  outputKeys: [Key.id, Key.score, Key.views, Key.duration_s],
  build: (ctx) => {
    const me = ctx.viewer(store);
    const videos = me
      .recommendation({ ...store, pattern: "videos:{language}", fanout: 100 })
      .hydrate({
        ...store,
        prefix: "video",
        keys: [Key.views, Key.likes, Key.shares, Key.duration_s, Key.adult],
      })
      .filter({ pred: Fn.if(Key.adult, Viewer.age >= 18, true) && Key.duration_s <= 2 * LONG_S })
      .vm({
        outKey: Key.score,
        expr:
          Fn.sigmoid(((Key.likes + 4 * Key.shares) / Fn.max(Key.views, 1)) * 10 - 2) *
          Fn.clamp(1 - (Key.duration_s - LONG_S) / (2 * LONG_S), 0.5, 1),
      });
    const known = videos
      .filter({ pred: Key.views >= 1000 })
      .sort({ key: Key.score, order: "desc" })
      .take({ count: 9 });
    const fresh = videos.filter({ pred: Key.views < 1000 }).sample({ count: 3, seed: 7 });
    return known.interleave({ rhs: fresh, pattern: "aaab" });
  },
});
