// A flow that is a node of another: scoring is built and tested once, and used for two kinds of
// items. One scheduler sees all nodes, so both halves run at the same time.

// snippet-begin: flow_in_flow
#include <algorithm>
#include <cstdio>

#include <millrace/millrace.h>

using namespace millrace;

struct Scoring {
  double base = 0;
  double boost = 0;
  double score = 0;
};

struct Page {
  Scoring posts;
  Scoring ads;
  double best = 0;
};

int main() {
  runtime::FlowBuilder<Scoring> scoring_builder;
  scoring_builder.cpu("boost", [](Scoring& scoring) { scoring.boost = scoring.base / 10; })
      .cpu("score",
           [](Scoring& scoring) { scoring.score = scoring.base + scoring.boost; },
           {.after = {"boost"}});
  const auto scoring = scoring_builder.build();

  runtime::FlowBuilder<Page> builder;
  builder
      .cpu("load",
           [](Page& page) {
             page.posts.base = 10;
             page.ads.base = 20;
           })
      .flow("posts", *scoring, &Page::posts, {.after = {"load"}})
      .flow("ads", *scoring, &Page::ads, {.after = {"load"}})
      .cheap("merge",
             [](Page& page) { page.best = std::max(page.posts.score, page.ads.score); },
             {.after = {"posts", "ads"}});
  const auto flow = builder.build();
  const auto pool = runtime::WorkerPool::create({.compute_threads = 2});
  if (!scoring || !flow || !pool) return 1;

  Page page;
  const base::Status status = flow->run(**pool, page);
  std::printf("%u nodes, best score %.0f\n", flow->topology().node_count(), page.best);
  return status && page.best == 22 ? 0 : 1;
}
// snippet-end: flow_in_flow
