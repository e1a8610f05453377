#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"

// What happens when there is no memory for an answer. This is a program of its own, because it
// decides about every allocation of the process.

namespace {

// Larger allocations fail. Relaxed: publishes nothing; only this thread allocates here.
std::atomic<std::size_t> allocation_max = SIZE_MAX;

void* allocate(std::size_t size, std::size_t alignment) {
  const bool fits = size <= allocation_max.load(std::memory_order_relaxed);
  void* const memory =
      fits ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
           : nullptr;
  // Not a `throw` of the engine, but what the standard library does for it.
  if (memory == nullptr) std::__throw_bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace millrace::rank::testing {
namespace {

using ::testing::HasSubstr;

/// Allocations above a size fail for as long as this lives.
class ScarceMemory {
 public:
  explicit ScarceMemory(std::size_t size_max) { allocation_max.store(size_max); }
  ~ScarceMemory() { allocation_max.store(SIZE_MAX); }
  ScarceMemory(const ScarceMemory&) = delete;
  ScarceMemory& operator=(const ScarceMemory&) = delete;
};

TEST(AnswerMemoryTest, AnAnswerThatFindsNoMemoryIsAnErrorOfItsRequestOnly) {
  RankRig rig;
  rig.load(plan_text(source_node(5000), R"(["src"])"));
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
  {
    const ScarceMemory scarce(64U << 10);
    const auto refused = rig.ask(R"({"user_id": 1, "request_id": "r1"})");
    EXPECT_EQ(refused->error_code(), "limit_reached");
    EXPECT_THAT(refused->response(), HasSubstr("not enough memory for the answer"));
    EXPECT_EQ(refused->request_id(), "r1");
    EXPECT_EQ(refused->answer_count(), 1);
    EXPECT_TRUE(rig.ask(R"({"user_id": 1, "limit": 3})")->ok()) << "a small answer has room";
  }
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
}

TEST(AnswerMemoryTest, ARequestThatFindsNoMemoryIsRefused) {
  RankRig rig;
  rig.load(plan_text(source_node(3), R"(["src"])"));
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
  std::string request = R"({"user_id": 1, "candidates": [1)";
  for (int i = 0; i < 5000; ++i) request += ",1";
  request += "]}";
  {
    const ScarceMemory scarce(8U << 10);
    const auto refused = rig.ask(request);
    EXPECT_EQ(refused->error_code(), "limit_reached") << refused->response();
  }
  const auto next = rig.ask(R"({"user_id": 1})");
  EXPECT_TRUE(next->ok()) << next->response();
}

}  // namespace
}  // namespace millrace::rank::testing
