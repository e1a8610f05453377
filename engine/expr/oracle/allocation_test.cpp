// Counts allocations of warm evaluations. It is an executable of its own, because it replaces the
// global allocation functions. ThreadSanitizer has its own, and offers a hook to count with.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MR_TEST_HAS_MALLOC_HOOK
#endif
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "expr/bound_expr.h"
#include "expr/compiled_expr.h"
#include "expr/evaluate.h"
#include "expr/syntax/scope_fixture.h"
#include "rows/batch.h"
#include "rows/column_builder.h"

namespace {

std::size_t allocation_count = 0;

}  // namespace

#ifdef MR_TEST_HAS_MALLOC_HOOK

#include <sanitizer/allocator_interface.h>

namespace {

// The only thread that allocates while a test counts is the one that runs it.
void count_allocation(const volatile void*, std::size_t) { ++allocation_count; }
void ignore_release(const volatile void*) {}
[[maybe_unused]] const int hook =
    __sanitizer_install_malloc_and_free_hooks(&count_allocation, &ignore_release);

}  // namespace

#else

namespace {

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocation_count;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif

namespace millrace::expr {
namespace {

rows::RowSet make_rows(std::size_t count, rows::RowScratch& memory) {
  rows::Int64ColumnBuilder id(memory);
  rows::Float64ColumnBuilder x(memory);
  rows::StringColumnBuilder s(memory);
  for (std::size_t i = 0; i < count; ++i) {
    id.append(static_cast<std::int64_t>(i));
    i % 9 == 0 ? x.append_null() : x.append(static_cast<double>(i));
    s.append("Value " + std::to_string(i % 20));
  }
  return rows::RowSet(
      rows::Batch::make({{"id", id.finish()}, {"x", x.finish()}, {"s", s.finish()}}).value());
}

std::size_t allocations_of(const BoundExpr& bound, const rows::RowSet& rows, EvalScratch& scratch) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(evaluate(bound, rows, scratch));
  const std::size_t before = allocation_count;
  EXPECT_TRUE(evaluate(bound, rows, scratch));
  return allocation_count - before;
}

TEST(AllocationTest, WarmEvaluationsAllocateTheSameForAnyNumberOfRows) {
  rows::RowScratch memory;
  EvalScratch scratch(memory);
  MapScope scope;
  scope.add(NameSource::kKey, "id", rows::ColumnType::kInt64, false)
      .add(NameSource::kKey, "x", rows::ColumnType::kFloat64)
      .add(NameSource::kKey, "s", rows::ColumnType::kString);
  const rows::RowSet few = make_rows(100, memory);
  const rows::RowSet many = make_rows(50'000, memory);
  EXPECT_GT(allocation_count, 0U);  // shows that counting works
  for (const std::string_view text :
       {"x * 2.0 + id", "if(x > 10, id * 2, 0)", "s ~ /1$/", "lower(s)", "coalesce(x, 1.5) / id"}) {
    const BoundExpr bound = BoundExpr::bind(compile(text, scope).value(), {}).value();
    const std::size_t of_few = allocations_of(bound, few, scratch);
    EXPECT_EQ(allocations_of(bound, many, scratch), of_few) << text;
  }
}

TEST(AllocationTest, WarmPredicatesAllocateTheSameForAnyNumberOfRows) {
  rows::RowScratch memory;
  EvalScratch scratch(memory);
  MapScope scope;
  scope.add(NameSource::kKey, "x", rows::ColumnType::kFloat64);
  const BoundExpr bound = BoundExpr::bind(compile("x > 5.0", scope).value(), {}).value();
  std::vector<std::size_t> counts;
  for (const std::size_t row_count : {100, 50'000}) {
    const rows::RowSet rows = make_rows(row_count, memory);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(evaluate_predicate(bound, rows, scratch));
    const std::size_t before = allocation_count;
    EXPECT_TRUE(evaluate_predicate(bound, rows, scratch));
    counts.push_back(allocation_count - before);
  }
  EXPECT_EQ(counts[0], counts[1]);
  EXPECT_LE(counts[0], 2U);
}

}  // namespace
}  // namespace millrace::expr
