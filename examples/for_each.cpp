// Loops over ranges: one by itself, and one that is a node of a flow.

// snippet-begin: for_each
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include <millrace/millrace.h>

using namespace millrace;

struct Request {
  std::vector<double> scores;
  double sum = 0;
};

int main() {
  const auto pool = runtime::WorkerPool::create({.compute_threads = 2});
  if (!pool) return 1;

  // By itself: the calling thread helps and returns when all is done.
  std::vector<double> roots(10'000);
  std::iota(roots.begin(), roots.end(), 0.0);
  const base::Status rooted =
      runtime::for_each(**pool, roots, [](double& value) { value = std::sqrt(value); });
  std::printf("roots: %.0f %.0f %.0f\n", roots[4], roots[9], roots[9801]);

  // In a flow: the loop becomes several nodes, and "sum" waits for all of them.
  runtime::FlowBuilder<Request> builder;
  builder.for_each("score", &Request::scores, [](double& score) { score *= 2; }, {.pieces = 4})
      .cpu("sum",
           [](Request& request) {
             request.sum = std::accumulate(request.scores.begin(), request.scores.end(), 0.0);
           },
           {.after = {"score"}});
  const auto flow = builder.build();
  if (!flow) return 1;
  Request request{.scores = std::vector<double>(1'000, 0.5)};
  const base::Status scored = flow->run(**pool, request);
  std::printf("sum: %.0f\n", request.sum);
  return rooted && scored && request.sum == 1000 ? 0 : 1;
}
// snippet-end: for_each
