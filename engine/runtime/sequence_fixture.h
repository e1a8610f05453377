#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "runtime/run_pool.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "runtime/worker.h"

// For tests only: runs that no worker would share, and peers that look at them.

namespace millrace::runtime {

/// A DAG in which every node comes after up to three earlier ones.
inline std::vector<NodeSpec> random_dag(std::uint32_t count, std::uint64_t seed) {
  base::SplitMix64 random(seed);
  std::vector<NodeSpec> specs;
  for (std::uint32_t node = 0; node < count; ++node) {
    std::vector<std::string> after;
    for (std::uint64_t edge = random.below(4); edge > 0 && node > 0; --edge) {
      std::string producer = "n" + std::to_string(random.below(node));
      if (std::ranges::find(after, producer) == after.end()) after.push_back(std::move(producer));
    }
    specs.push_back(noting_node("n" + std::to_string(node), std::move(after)));
  }
  return specs;
}

/// Makes every cost known, so that the next run needs neither the full path nor sharing.
inline void make_cheap(TestScheduler& lab, TestDag& dag) {
  dag.teach(std::chrono::nanoseconds(20));
  const RunHandle run = lab.submit(dag, std::make_shared<Notes>());
  lab.settle();
  dag.teach(std::chrono::nanoseconds(20));
}

/// Lets an idle peer look around until it has had time to rescue something.
inline void look_around(TestScheduler& lab, Worker& peer) {
  for (int look = 0; look < 3; ++look) {
    static_cast<void>(peer.idle());
    lab.clock.advance(lab.pool->config().spin_time / 2);
  }
}

}  // namespace millrace::runtime
