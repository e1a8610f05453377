#include "base/sync/asymmetric_fence.h"

#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace millrace::base {
namespace {

TEST(AsymmetricFenceTest, IsFreeExactlyWhereTheKernelExecutesItForUs) {
#ifdef MR_THREAD_SANITIZER
  EXPECT_FALSE(light_fence_is_free());
#else
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  const bool supported = commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0;
  EXPECT_EQ(light_fence_is_free(), supported);
#endif
}

}  // namespace
}  // namespace millrace::base
