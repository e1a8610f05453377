#include "tasks/task.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tasks/task_fixture.h"

namespace millrace::tasks::testing {
namespace {

TEST(TaskTest, TSK3_AsyncBodyHasNoSynchronousForm) {
  TaskRig rig;
  const auto run =
      rig.start({.op = "sleep", .params = {{"duration_ms", num(0)}}, .inputs = {rig.ids({1})}})
          .value();
  const TaskCall call{.inputs = run->inputs,
                      .params = run->prepared.params.get(),
                      .context = TaskContext(rig.request, run->context)};
  EXPECT_EQ(run->prepared.body->run(call).error().code(), base::ErrorCode::kInternal);
}

}  // namespace
}  // namespace millrace::tasks::testing
