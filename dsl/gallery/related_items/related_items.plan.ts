// Beside an item that a user looks at: items others saw together with it, affordable ones, chosen
// one after another so that they are good and differ from each other.
import { definePlan } from "@millrace/dsl";

const store = { endpoint: EP.redis.main };

export default definePlan({
  name: "related_items",
  outputKeys: [Key.id, Key.title, Key.price, Key.score],
  build: (ctx) => {
    const shown = ctx.request("item_id");
    const together = shown.recommendation({ ...store, pattern: "together:{id}", fanout: 50 });
    const items = together.hydrate({
      ...store,
      prefix: "item",
      keys: [Key.title, Key.price, Key.rating, Key.votes, Key.topic_x, Key.topic_y],
    });
    // Means of few votes are pulled towards 3.5, as if 10 more people had voted so.
    const rating =
      (coalesce(Key.rating, 3.5) * coalesce(Key.votes, 0) + 3.5 * 10) /
      (coalesce(Key.votes, 0) + 10);
    return items
      .filter({ pred: Key.price > 0 && Key.price <= coalesce(Req.max_price, 1e9) })
      .vm({ outKey: Key.score, expr: rating - Fn.log(1 + Key.price) / 4 })
      .diversify({ score: Key.score, features: [Key.topic_x, Key.topic_y], lambda: 0.6, count: 5 });
  },
});
