#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/result.h"
#include "loop/awaitables.h"
#include "loop/loop.h"
#include "loop/task.h"
#include "runtime/node_call.h"
#include "runtime/pool_settings.h"
#include "runtime/run.h"
#include "runtime/scheduler_fixture.h"
#include "runtime/topology/node.h"
#include "trace/trace.h"
#include "trace/trace_collector.h"
#include "trace/trace_record.h"
#include "trace/trace_writer.h"

// K3: a warm run allocates nothing on the heap. This is a program of its own, because it counts
// every allocation of the process. Sanitizers have their own operator new, and offer a hook to
// count with.

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MR_TEST_HAS_MALLOC_HOOK
#endif
#endif

namespace {

// Relaxed: a count that publishes nothing; only this thread allocates here.
std::atomic<std::uint64_t> allocation_count = 0;

}  // namespace

#ifdef MR_TEST_HAS_MALLOC_HOOK

#include <sanitizer/allocator_interface.h>

namespace {

void count_allocation(const volatile void*, std::size_t) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
}
void ignore_release(const volatile void*) {}
[[maybe_unused]] const int kHook =
    __sanitizer_install_malloc_and_free_hooks(&count_allocation, &ignore_release);

}  // namespace

#else

void* operator new(std::size_t size) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size)) return memory;
  std::abort();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  const auto step = static_cast<std::size_t>(alignment);
  if (void* const memory = std::aligned_alloc(step, (size + step - 1) / step * step)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif

namespace millrace::runtime {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

struct Count {
  int bodies = 0;
};

NodeSpec counting_node(std::string id, std::vector<std::string> after = {}) {
  NodeSpec spec;
  spec.id = std::move(id);
  spec.after = std::move(after);
  spec.body = [](const void*, NodeCall& call) {
    ++static_cast<Count*>(call.context())->bodies;
    return true;
  };
  return spec;
}

/// A source, `width` siblings that several workers share, and a join.
std::vector<NodeSpec> fan(int width) {
  std::vector<NodeSpec> specs{counting_node("source")};
  std::vector<std::string> all;
  for (int node = 0; node < width; ++node) {
    all.push_back("f" + std::to_string(node));
    specs.push_back(counting_node(all.back(), {"source"}));
  }
  specs.push_back(counting_node("sink", all));
  return specs;
}

class WarmRunTest : public testing::Test {
 protected:
  WarmRunTest() : lab(config()) {}

  ExecutorConfig config() {
    ExecutorConfig settings;
    settings.compute_threads = 2;
    settings.trace = &collector;
    return settings;
  }

  /// Lets the scheduler run until the loop has no timer left to wait for.
  void run_to_the_end(base::Duration patience) {
    const base::TimePoint end = lab.clock.now() + patience;
    lab.settle();
    for (auto next = lab.loop.next_deadline(); next && *next <= end;
         next = lab.loop.next_deadline()) {
      lab.loop.advance_to(*next);
      lab.settle();
    }
  }

  void run_once(TestDag& dag, const RunOptions& options) {
    const int before = count->bodies;
    auto run = dag.runs().submit(*lab.pool, count, options, {});
    ASSERT_TRUE(run.has_value());
    run_to_the_end(milliseconds(100));
    ASSERT_EQ(run->outcome(), RunOutcome::kOk);
    ASSERT_EQ(count->bodies - before, static_cast<int>(dag.topology().node_count()));
  }

  /// Number of allocations in a run after everything it needs has been used a few times.
  std::uint64_t allocations_of_a_warm_run(TestDag& dag, RunOptions options = {}) {
    options.loop = &lab.loop;
    const auto run_all = [&](int turns) {
      for (int turn = 0; turn < turns; ++turn) {
        if (is_timed) options.deadline = lab.clock.now() + hours(1);
        run_once(dag, options);
      }
    };
    run_all(16);
    const std::uint64_t before = allocation_count.load(std::memory_order_relaxed);
    run_all(16);
    return allocation_count.load(std::memory_order_relaxed) - before;
  }

  trace::TraceCollector collector;
  TestScheduler lab;
  std::shared_ptr<Count> count = std::make_shared<Count>();
  bool is_timed = false;
};

TEST_F(WarmRunTest, TheCounterCounts) {
  const std::uint64_t before = allocation_count.load();
  const auto made = std::make_unique<std::vector<int>>(100);
  EXPECT_GE(allocation_count.load() - before, 2U);
  EXPECT_EQ(made->size(), 100U);
}

TEST_F(WarmRunTest, K3_OfPrivateNodesTakesNothingFromTheHeap) {
  TestDag dag(fan(30));
  dag.teach(base::Duration(20));
  EXPECT_EQ(allocations_of_a_warm_run(dag), 0U);
}

TEST_F(WarmRunTest, K3_OfSharedNodesTakesNothingFromTheHeap) {
  TestDag dag(fan(30));
  dag.teach(milliseconds(1));
  EXPECT_EQ(allocations_of_a_warm_run(dag), 0U);
  EXPECT_GT(lab.pool->counters().stolen, 0U);
}

TEST_F(WarmRunTest, K3_WithADeadlineTakesNothingFromTheHeap) {
  TestDag dag(fan(10));
  is_timed = true;
  EXPECT_EQ(allocations_of_a_warm_run(dag), 0U);
}

TEST_F(WarmRunTest, K3_WithTimeoutsAndFallbacksTakesNothingFromTheHeap) {
  std::vector<NodeSpec> specs = fan(10);
  for (NodeSpec& spec : specs) {
    spec.timeout = milliseconds(5);
    spec.fallback = FallbackKind::kValue;
    spec.fallback_body = spec.body;
  }
  TestDag dag(specs);
  is_timed = true;
  EXPECT_EQ(allocations_of_a_warm_run(dag), 0U);
}

TEST_F(WarmRunTest, K3_ThatIsMeasuredTakesNothingFromTheHeap) {
  TestDag dag(fan(10), {.sample_every = 1});
  EXPECT_EQ(allocations_of_a_warm_run(dag), 0U);
  EXPECT_GT(dag.costs().sample_count(0), 16U);
}

TEST_F(WarmRunTest, K3_AfterWhichTheRanksChangeTakesNothingFromTheHeap) {
  TestDag dag(fan(30));
  dag.teach(nanoseconds(20));
  const std::uint32_t reorders = dag.costs().reorder_count();
  const std::uint64_t before = allocation_count.load(std::memory_order_relaxed);
  // What measured runs do when they end, while bodies become slower and faster again and again.
  for (int turn = 0; turn < 4096; ++turn)
    dag.teach(turn / 16 % 2 == 0 ? base::Duration(milliseconds(1)) : nanoseconds(20));
  EXPECT_EQ(allocation_count.load(std::memory_order_relaxed) - before, 0U);
  EXPECT_GT(dag.costs().reorder_count(), reorders + 5);
}

TEST_F(WarmRunTest, K3_T4_WithAllEventsTracedTakesNothingFromTheHeap) {
  TestDag dag(fan(10));
  const trace::TraceContext trace(
      trace::TraceId(7), trace::TraceFlag::All, trace::TraceTopologyId(0));
  EXPECT_EQ(allocations_of_a_warm_run(dag, {.trace = trace}), 0U);
}

loop::Task<base::Status> sleep_and_count(loop::Loop* loop, NodeCall call) {
  MR_CO_TRY_STATUS(co_await loop::sleep_for(*loop, microseconds(10), call.stop_token()));
  ++static_cast<Count*>(call.context())->bodies;
  co_return base::Status{};
}

TEST_F(WarmRunTest, K3_OfAsyncNodesTakesNothingFromTheHeap) {
  std::vector<NodeSpec> specs = fan(4);
  for (std::size_t node = 1; node <= 4; ++node) {
    specs[node].kind = NodeKind::kAsync;
    specs[node].body = nullptr;
    specs[node].closure = std::shared_ptr<const void>(&lab.loop, [](const void*) {});
    specs[node].async_body = [](const void* loop, NodeCall call) {
      auto* const own = static_cast<loop::Loop*>(const_cast<void*>(loop));
      return sleep_and_count(own, std::move(call));
    };
  }
  TestDag dag(specs);
  EXPECT_EQ(allocations_of_a_warm_run(dag), 0U);
}

}  // namespace
}  // namespace millrace::runtime
