// Articles by the people that the viewer follows, fresh and liked ones first.
import { definePlan } from "@millrace/dsl";

const store = { endpoint: EP.redis.redis_default };

export default definePlan({
  name: "home",
  outputKeys: [Key.id, Key.name, Key.score],
  build: (ctx) => {
    const viewer = ctx.viewer(store);
    const articles = viewer
      .follow(store)
      .media(store)
      .hydrate({ ...store, prefix: "item" });
    return articles
      .vm({ outKey: Key.score, expr: Key.likes - Key.age_hours * coalesce(P.freshness, 1.5) })
      .filter({ pred: Key.score > 0 })
      .sort({ key: Key.score, order: "desc" })
      .take({ count: 5 });
  },
});
