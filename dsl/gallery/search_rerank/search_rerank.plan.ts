// Second stage of a search: another system has found documents; here they are ordered by how well
// the title fits, by quality and by clicks. Half of the users see a stronger weight of quality.
import { definePlan } from "@millrace/dsl";

const store = { endpoint: EP.redis.main };

// A smoothed rate of clicks: 20 views at 5 % are assumed before there are any.
const clickRate = (coalesce(Key.likes, 0) + 1) / (coalesce(Key.views, 0) + 20);
const inExperiment = Fn.hash(Req.user_id) % 2 == 0;

export default definePlan({
  name: "search_rerank",
  version: 4,
  outputKeys: [Key.id, Key.score, Key.title],
  build: (ctx) => {
    const me = ctx.viewer(store);
    const found = me.recommendation({ ...store, pattern: "found:{id}", fanout: 200 });
    const documents = found.hydrate({
      ...store,
      prefix: "doc",
      keys: [Key.title, Key.language, Key.category, Key.likes, Key.views],
    });
    const graded = documents
      .filter({ pred: Key.title.isNotNull() && Key.title.notIn(["", "untitled"]) })
      .lookup({
        ...store,
        prefix: "quality",
        outKey: Key.quality,
        timeoutMs: 2000,
        onFailure: { use: "input" },
      });
    return graded
      .vm({
        outKey: Key.score,
        expr: (row) => {
          const query = Fn.lower(coalesce(Req.query, ""));
          const title = row.title.lower();
          const fit = Fn.startsWith(title, query) ? 1.0 : Fn.contains(title, query) ? 0.6 : 0.1;
          const spam = row.title.matches(/\b(free|win|!!+)/i) ? 0.2 : 1.0;
          const grade = coalesce(row.quality, 0.5) * (inExperiment ? 1.5 : 1.0);
          return fit * spam * (grade + 4 * clickRate);
        },
      })
      .sort({ by: [{ key: Key.score, order: "desc" }, Key.id] })
      .take({ count: 10 });
  },
});
