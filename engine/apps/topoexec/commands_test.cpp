#include "apps/topoexec/commands.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/topoexec/flags.h"
#include "base/formats/json_reader.h"

namespace millrace::topoexec {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string example(const std::string& name) {
  return std::string(MILLRACE_SOURCE_DIR) + "/examples/graphs/" + name + ".yaml";
}

std::string broken(const std::string& name) {
  return std::string(MILLRACE_SOURCE_DIR) + "/tests/corpus/graphs/" + name + ".yaml";
}

Flags flags_for(Subcommand command, const std::string& file, Format format = Format::kText) {
  Flags flags;
  flags.command = command;
  flags.file = file;
  flags.format = format;
  return flags;
}

TEST(TopoexecCommandsTest, G68_ValidateSaysOkOrListsEverything) {
  const Outcome good =
      run_command(flags_for(Subcommand::kValidate, example("alarms"), Format::kJson));
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(good.out, "{\"ok\":true,\"diagnostics\":[]}\n");
  const Outcome bad =
      run_command(flags_for(Subcommand::kValidate, broken("unknown_lane"), Format::kJson));
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.out,
              StartsWith(R"({"ok":false,"diagnostics":[{"code":"unknown_lane","severity":"error",)"
                         R"("path":"components[0].execution.lane","line":6,"column":71,)"));
  const Outcome text = run_command(flags_for(Subcommand::kValidate, broken("unknown_lane")));
  EXPECT_THAT(text.out,
              HasSubstr("unknown_lane.yaml:6:71: error: unknown_lane: No lane has the id 'mian'"));
  EXPECT_THAT(text.out, HasSubstr("\n  fix: write 'main'\n"));
}

TEST(TopoexecCommandsTest, WarningsFailOnlyWithStrict) {
  Flags flags = flags_for(Subcommand::kLint, broken("endless_counter"));
  EXPECT_EQ(run_command(flags).exit_code, 0);
  flags.strict = true;
  EXPECT_EQ(run_command(flags).exit_code, 1);
}

TEST(TopoexecCommandsTest, PlanRenderAndExplainShowTheGraph) {
  const Outcome plan =
      run_command(flags_for(Subcommand::kPlan, example("greenhouse"), Format::kJson));
  EXPECT_EQ(plan.exit_code, 0);
  EXPECT_THAT(plan.out, StartsWith(R"({"graph":"greenhouse","schema_version":1,"domains":[)"));
  EXPECT_THAT(run_command(flags_for(Subcommand::kPlan, example("greenhouse"))).out,
              HasSubstr("domain sense (grid, every 20ms)"));
  EXPECT_THAT(run_command(flags_for(Subcommand::kRender, example("greenhouse"))).out,
              HasSubstr("loop climate"));
  EXPECT_THAT(
      run_command(flags_for(Subcommand::kRender, example("greenhouse"), Format::kMermaid)).out,
      StartsWith("flowchart LR\n"));
  EXPECT_THAT(run_command(flags_for(Subcommand::kRender, example("greenhouse"), Format::kSvg)).out,
              StartsWith("<svg "));
  const Outcome picture =
      run_command(flags_for(Subcommand::kRender, example("greenhouse"), Format::kJson));
  EXPECT_THAT(picture.out, StartsWith(R"({"graph":"greenhouse","width":)"));
  EXPECT_TRUE(base::read_json(picture.out)) << picture.out;
  EXPECT_THAT(picture.out, HasSubstr(R"("components":[{"id":"probe","x":)"));
  EXPECT_THAT(picture.out, HasSubstr(R"({"id":"raw","backward":false,"points":[[)"));
  Flags explain = flags_for(Subcommand::kExplain, example("greenhouse"));
  explain.component = "window";
  EXPECT_THAT(run_command(explain).out,
              HasSubstr("triggered by all_inputs on temperature, target"));
  explain.component = "windw";
  const Outcome unknown = run_command(explain);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'window'?"));
}

TEST(TopoexecCommandsTest, AnInvalidFileHasNoPlan) {
  const Outcome text = run_command(flags_for(Subcommand::kPlan, broken("cycle")));
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_THAT(text.out, IsEmpty());
  EXPECT_THAT(text.err, HasSubstr("immediate_cycle_without_loop"));
  const Outcome json = run_command(flags_for(Subcommand::kPlan, broken("cycle"), Format::kJson));
  EXPECT_THAT(json.out, StartsWith(R"({"ok":false,)"));
  const Outcome missing = run_command(flags_for(Subcommand::kPlan, "no/such.yaml"));
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("no/such.yaml: Cannot open the file"));
}

TEST(TopoexecCommandsTest, DiffPlanComparesTwoFiles) {
  Flags flags = flags_for(Subcommand::kDiffPlan, example("greenhouse"));
  flags.other_file = example("greenhouse");
  EXPECT_EQ(run_command(flags).out, "The plans are equal.\n");
  flags.other_file = example("alarms");
  EXPECT_THAT(run_command(flags).out, HasSubstr("  + siren\n"));
  flags.other_file = broken("cycle");
  EXPECT_EQ(run_command(flags).exit_code, 2);
}

TEST(TopoexecCommandsTest, SchemaCheckLooksAtFieldsOnly) {
  EXPECT_EQ(run_command(flags_for(Subcommand::kSchemaCheck, broken("unknown_lane"))).exit_code, 0);
  EXPECT_EQ(
      run_command(flags_for(Subcommand::kSchemaCheck, broken("unknown_lane_field"))).exit_code, 2);
  EXPECT_THAT(run_command(flags_for(Subcommand::kSchemaDump, "")).out, HasSubstr("\"$schema\""));
}

}  // namespace
}  // namespace millrace::topoexec
