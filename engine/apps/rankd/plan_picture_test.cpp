#include "apps/rankd/plan_picture.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;

struct Drawn {
  Drawn() {
    Flags flags = repository_flags();
    project = open_project(flags);
    const auto files = project->load_plans(flags);
    for (const host::PlanFile& file : *files) {
      if (file.plan && (*file.plan)->name == "complex_dag") plan = *file.plan;
    }
  }
  decltype(open_project(std::declval<Flags&>())) project;
  plan::CompiledPlanRef plan;
};

TEST(PlanPictureTest, EveryFormHasEveryNodeAndTheirEdges) {
  const Drawn drawn;
  const std::string dot = plan_to_dot(drawn.plan, *drawn.project).value();
  EXPECT_THAT(dot, HasSubstr("digraph"));
  const std::string mermaid = plan_to_mermaid(drawn.plan, *drawn.project).value();
  EXPECT_THAT(mermaid, HasSubstr("flowchart"));
  const std::string svg = plan_to_svg(*drawn.plan);
  for (const plan::CompiledNode& node : drawn.plan->nodes) {
    EXPECT_THAT(dot, HasSubstr(node.id));
    EXPECT_THAT(mermaid, HasSubstr(node.id));
    EXPECT_THAT(svg, HasSubstr(">" + node.id + "<"));
  }
}

TEST(PlanPictureTest, NamesAreQuotedInTheSvg) {
  const Drawn drawn;
  plan::CompiledPlan plan = *drawn.plan;
  plan.name = "a<b>&\"c\"";
  EXPECT_THAT(plan_to_svg(plan), HasSubstr("<title>a&lt;b&gt;&amp;&quot;c&quot;</title>"));
}

}  // namespace
}  // namespace millrace::rankd::testing
