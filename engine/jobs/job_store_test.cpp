#include "jobs/job_store.h"

#include <gtest/gtest.h>

// What needs a server is tested in tests/nats/.

namespace millrace::jobs {
namespace {

TEST(JobStoreTest, JOB5_MissingLinesAreNamedAsRangesFromOne) {
  EXPECT_EQ(missing_text({true, true}), "");
  EXPECT_EQ(missing_text({false, false, true, false}), "1-2, 4");
  std::vector<bool> many(100, true);
  for (std::size_t i = 0; i < many.size(); i += 2) many[i] = false;
  EXPECT_TRUE(missing_text(many).ends_with(", 39, …"));
}

}  // namespace
}  // namespace millrace::jobs
