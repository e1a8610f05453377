#include "tasks/task_spec_check.h"

#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "plan/task_catalog.h"

namespace millrace::tasks {
namespace {

using plan::ParamSpec;
using plan::ParamType;
using plan::TaskSpec;

TaskSpec with_param(ParamSpec param) {
  return {.op = "x", .doc = "A test.", .params = {std::move(param)}};
}

bool refuses(const TaskSpec& spec) { return !check_task_spec(spec).has_value(); }

TEST(TaskSpecCheckTest, TSK1_NamesAndDocsAreNeeded) {
  EXPECT_FALSE(refuses({.op = "x_1", .doc = "A test."}));
  EXPECT_TRUE(refuses({.op = "x_1"}));
  EXPECT_TRUE(refuses({.op = "CamelCase", .doc = "A test."}));
  EXPECT_TRUE(refuses({.op = "x", .aliases = {"a-b"}, .doc = "A test."}));
  EXPECT_TRUE(refuses(with_param({.name = "a"})));
  EXPECT_TRUE(refuses(with_param({.name = "A", .doc = "d"})));
  EXPECT_FALSE(refuses(with_param({.name = "a", .doc = "d"})));
}

TEST(TaskSpecCheckTest, TSK1_DefaultMustBeOneThatAPlanCouldGive) {
  EXPECT_FALSE(refuses(with_param({.name = "a", .fallback = std::int64_t{1}, .doc = "d"})));
  EXPECT_TRUE(refuses(with_param({.name = "a", .fallback = 1.5, .doc = "d"})));
  EXPECT_TRUE(refuses(
      with_param({.name = "a", .required = true, .fallback = std::int64_t{1}, .doc = "d"})));
  EXPECT_TRUE(
      refuses(with_param({.name = "a", .fallback = std::int64_t{1}, .minimum = 2.0, .doc = "d"})));
  EXPECT_TRUE(refuses(with_param({.name = "a",
                                  .type = ParamType::kChoice,
                                  .fallback = std::string("c"),
                                  .choices = {"a", "b"},
                                  .doc = "d"})));
}

TEST(TaskSpecCheckTest, TSK1_SpecsMustAgreeWithThemselves) {
  TaskSpec twice = with_param({.name = "a", .doc = "d"});
  twice.params.push_back(twice.params.front());
  EXPECT_TRUE(refuses(twice));
  TaskSpec keys = with_param({.name = "a", .doc = "d"});
  keys.keys_param = "a";
  EXPECT_TRUE(refuses(keys));
  EXPECT_TRUE(refuses(with_param({.name = "a", .minimum = 2.0, .maximum = 1.0, .doc = "d"})));
  EXPECT_TRUE(refuses(with_param({.name = "a", .type = ParamType::kChoice, .doc = "d"})));
  EXPECT_TRUE(refuses({.op = "x", .doc = "A test.", .inputs_min = 2, .inputs_max = 1}));
}

}  // namespace
}  // namespace millrace::tasks
