#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/result.h"
#include "loop/stop.h"
#include "runtime/flow.h"
#include "runtime/node_call.h"
#include "runtime/pool_settings.h"
#include "runtime/run.h"
#include "runtime/sharing_prices.h"
#include "runtime/steal_deque.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/topology/priority_order.h"
#include "runtime/topology/topology.h"
#include "scheduler/overhead.h"
#include "scheduler/shape.h"

// Loops over the scheduler's own units, one phase at a time. The first probe of a phase measures a
// node that goes through a queue of a run on several workers, the costliest of the usual cases; the
// probes below it measure nodes that stay on one thread, and other cases.
namespace millrace::bench {
namespace {

using runtime::CostModel;
using runtime::DequeItem;
using runtime::Edge;
using runtime::HotNode;
using runtime::kNoCounter;
using runtime::kNoNode;
using runtime::StealDeque;
using runtime::Topology;

// Keeps the compiler from removing values that nothing reads.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Times `part` only, called `batches` times, each time after `before`; gives ns per item.
template <class Before, class Part>
double time_batches(std::uint64_t count, std::uint64_t batch_size, Before before, Part part) {
  const std::uint64_t batches = count / batch_size + 1;
  base::Duration spent{};
  for (std::uint64_t batch = 0; batch < batches; ++batch) {
    before();
    const base::TimePoint start = base::steady_clock().now();
    part();
    spent += base::steady_clock().now() - start;
  }
  return static_cast<double>(spent.count()) / static_cast<double>(batches * batch_size);
}

// --- Queues

constexpr std::uint64_t kQueued = 4096;

void push_all(StealDeque<>& deque) {
  for (std::uint64_t item = 0; item < kQueued; ++item) deque.push({&deque, item});
}

template <class Take>
void take_all(Take take) {
  std::uint64_t sum = 0;
  for (DequeItem item; take(item);) sum += item.payload;
  MR_CHECK(sum == kQueued * (kQueued - 1) / 2);
}

double measure_push(std::uint64_t count) {
  StealDeque<> deque(kQueued);
  return time_batches(
      count,
      kQueued,
      [&] {
        for (DequeItem item; deque.try_pop(item);) keep(item.payload);
      },
      [&] { push_all(deque); });
}

double measure_pop(std::uint64_t count) {
  StealDeque<> deque(kQueued);
  return time_batches(
      count,
      kQueued,
      [&] { push_all(deque); },
      [&] { take_all([&](DequeItem& item) { return deque.try_pop(item); }); });
}

double measure_steal(std::uint64_t count) {
  StealDeque<> deque(kQueued);
  return time_batches(
      count,
      kQueued,
      [&] { push_all(deque); },
      [&] {
        take_all(
            [&](DequeItem& item) { return deque.steal(item) == runtime::StealResult::kTaken; });
      });
}

// --- DAGs

struct NoContext {};

/// A random layered DAG of empty bodies whose costs are all known.
class ProbeDag {
 public:
  ProbeDag() : dag_(build()) {
    for (std::uint32_t node = 0; node < topology().node_count(); ++node) {
      for (std::uint32_t sample = 0; sample < costs().settings().samples_min; ++sample)
        costs().record(node, base::Duration(20), 0);
    }
    costs().refresh();
  }
  [[nodiscard]] const Topology& topology() const { return dag_.topology(); }
  [[nodiscard]] CostModel& costs() const { return dag_.costs(); }

 private:
  static runtime::Flow<NoContext> build() {
    constexpr std::uint64_t kSeed = 20'240'601;
    const Shape shape = make_random_layered(200, kSeed);
    runtime::FlowBuilder<NoContext> builder;
    for (NodeIndex node = 0; node < shape.node_count(); ++node) {
      runtime::NodeOptions options;
      for (const NodeIndex producer : shape.producers[node])
        options.after.push_back(std::to_string(producer));
      builder.cpu(
          std::to_string(node),
          [](NoContext& context) -> base::Status {
            keep(&context);
            return {};
          },
          std::move(options));
    }
    base::Result<runtime::Flow<NoContext>> dag = builder.build();
    MR_CHECK(dag.has_value());
    return *std::move(dag);
  }

  runtime::Flow<NoContext> dag_;
};

/// Gives every token of one run and checks that every node but the sources became ready once.
template <class GiveToken>
double measure_tokens(std::uint64_t count, GiveToken give_token) {
  const ProbeDag dag;
  const Topology& topology = dag.topology();
  const auto start_values = topology.counter_template();
  std::vector<std::uint32_t> counters(start_values.size());
  const std::uint64_t followers = topology.node_count() - topology.sources().size();
  return time_batches(
      count,
      topology.node_count(),
      [] {},
      [&] {
        std::memcpy(counters.data(), start_values.data(), start_values.size_bytes());
        std::uint64_t ready = 0;
        for (const Edge& edge : topology.edges()) {
          ready += edge.counter == kNoCounter || give_token(counters[edge.counter]) ? 1 : 0;
        }
        MR_CHECK(ready == followers);
      });
}

double measure_shared_tokens(std::uint64_t count) {
  return measure_tokens(count, [](std::uint32_t& tokens) {
    return std::atomic_ref(tokens).fetch_sub(1, std::memory_order_acq_rel) == 1;
  });
}

double measure_private_tokens(std::uint64_t count) {
  return measure_tokens(count, [](std::uint32_t& tokens) { return --tokens == 0; });
}

double measure_dispatch(std::uint64_t count) {
  const ProbeDag dag;
  const Topology& topology = dag.topology();
  NoContext context;
  runtime::Run run(topology, dag.costs());
  runtime::NodeCall call(run, &context);
  loop::StopSource stop;
  return time_batches(
      count,
      topology.node_count(),
      [] {},
      [&] {
        for (const HotNode& node : topology.nodes()) {
          if (stop.stop_requested()) break;
          MR_CHECK(node.body(node.closure, call));
        }
      });
}

double measure_routing(std::uint64_t count) {
  const ProbeDag dag;
  const Topology& topology = dag.topology();
  const runtime::PriorityOrder& order = dag.costs().order();
  const std::atomic<std::uint32_t>* const hints = dag.costs().hints();
  const auto limit_ns = static_cast<std::uint64_t>(runtime::SharingPrices{}.bundle.count());
  const auto hand_over_ns = static_cast<std::uint32_t>(runtime::SharingPrices{}.hand_over.count());
  std::uint64_t backlog_ns = 0;
  return time_batches(
      count,
      topology.node_count(),
      [&] { backlog_ns = 0; },
      [&] {
        // Treats every dependent as ready: the best is run next, for the others the scheduler
        // decides whether sharing pays.
        for (const HotNode& node : topology.nodes()) {
          std::uint32_t best = kNoNode;
          std::uint32_t seen = 0;
          for (std::uint32_t edge = node.edge_begin; edge < node.edge_end; ++edge) {
            if (best != kNoNode) {
              const std::uint32_t hint = hints[best].load(std::memory_order_relaxed);
              backlog_ns += hint & CostModel::kCostMask;
              seen = std::max(seen, hint);
            }
            best = order.edges[edge].target;
          }
          keep(best);
          keep(seen >= hand_over_ns || backlog_ns >= limit_ns);
        }
      });
}

double measure_inline_decision(std::uint64_t count) {
  const ProbeDag dag;
  const std::uint32_t node_count = dag.topology().node_count();
  return time_batches(
      count,
      node_count,
      [] {},
      [&] {
        std::uint32_t cheap = 0;
        for (std::uint32_t node = 0; node < node_count; ++node)
          cheap += dag.costs().is_cheap_enough_to_inline(node, 0) ? 1 : 0;
        MR_CHECK(cheap == node_count);
      });
}

/// Waits for an item that another thread will push.
void steal_next(StealDeque<>& from) {
  constexpr int kTriesBeforeYield = 4096;
  DequeItem item;
  for (int tries = 0; from.steal(item) != runtime::StealResult::kTaken; ++tries) {
    // Where the machine has one processor for both threads, only this lets the other one push.
    if (tries >= kTriesBeforeYield) std::this_thread::yield();
  }
}

/// Two threads that look for work hand one item to each other, through a deque each.
double measure_hand_over(std::uint64_t count) {
  constexpr std::uint64_t kRoundsMax = 20'000;
  const std::uint64_t rounds = std::min(count, kRoundsMax);
  StealDeque<> here(2);
  StealDeque<> there(2);
  std::jthread peer([&] {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      steal_next(here);
      there.push({&there, round});
    }
  });
  return time_batches(
             rounds - 1,
             rounds,
             [] {},
             [&] {
               for (std::uint64_t round = 0; round < rounds; ++round) {
                 here.push({&here, round});
                 steal_next(there);
               }
             }) /
         2;
}

double measure_remote_dispatch(std::uint64_t count) {
  return measure_hand_over(count) + measure_dispatch(count);
}

constexpr auto kProbes = std::to_array<PhaseProbe>({
    {Phase::kReadySet, "push into the worker's stealing deque", measure_push},
    {Phase::kDequeue, "owner pops the newest item", measure_pop},
    {Phase::kDequeue, "thief takes the oldest item, unopposed", measure_steal},
    {Phase::kDependency, "atomic token per edge, counters re-armed", measure_shared_tokens},
    {Phase::kDependency, "the same on a run that one thread holds", measure_private_tokens},
    {Phase::kDispatch,
     "hand-over to a thread that looks for work, then as below",
     measure_remote_dispatch},
    {Phase::kDispatch, "stop check, body behind its exception barrier", measure_dispatch},
    {Phase::kRouting, "best dependent by path cost, the others priced", measure_routing},
    {Phase::kRouting, "may the node be inlined on a loop", measure_inline_decision},
});

}  // namespace

std::span<const PhaseProbe> phase_probes() { return kProbes; }

}  // namespace millrace::bench
