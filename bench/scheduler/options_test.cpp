#include "scheduler/options.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result.h"

namespace millrace::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

base::Result<Options> parse(const std::vector<std::string_view>& arguments) {
  return parse_options(arguments);
}

TEST(OptionsTest, DefaultsAreTheShortFormInFiveProcesses) {
  const base::Result<Options> options = parse({});
  ASSERT_TRUE(options.has_value());
  EXPECT_FALSE(options->full);
  EXPECT_EQ(options->processes, 5U);
  EXPECT_EQ(options->repetitions, 3U);
  EXPECT_THAT(options->workers, ElementsAre(1U, 2U));
  EXPECT_TRUE(options->engines.empty());
}

TEST(OptionsTest, TheFullFormTakesMoreSamplesUnlessToldOtherwise) {
  EXPECT_GE(parse({"--full"})->repetitions, 7U);
  EXPECT_TRUE(parse({"--full"})->tables);
  EXPECT_EQ(parse({"--full", "--reps", "2"})->repetitions, 2U);
}

TEST(OptionsTest, ReadsListsAndCounts) {
  const base::Result<Options> options =
      parse({"--shape", "chain,fan", "--engine", "serial", "--workers", "2", "--reps", "9"});
  ASSERT_TRUE(options.has_value());
  EXPECT_THAT(options->shapes, ElementsAre("chain", "fan"));
  EXPECT_THAT(options->engines, ElementsAre("serial"));
  EXPECT_THAT(options->workers, ElementsAre(2U));
  EXPECT_EQ(options->repetitions, 9U);
}

TEST(OptionsTest, NamesWhatIsWrong) {
  EXPECT_THAT(parse({"--engine", "warp"}).error().to_string(), HasSubstr("warp"));
  EXPECT_THAT(parse({"--body", "2us"}).error().to_string(), HasSubstr("2us"));
  EXPECT_THAT(parse({"--reps", "0"}).error().to_string(), HasSubstr("--reps"));
  EXPECT_THAT(parse({"--reps", "seven"}).error().to_string(), HasSubstr("seven"));
  EXPECT_THAT(parse({"--reps"}).error().to_string(), HasSubstr("--reps"));
  EXPECT_THAT(parse({"--colour", "red"}).error().to_string(), HasSubstr("--colour"));
  EXPECT_FALSE(parse({"--workers", ","}).has_value());
}

TEST(OptionsTest, ChildMeasuresWhatTheParentWasAskedFor) {
  const base::Result<Options> parent = parse({"--shape",
                                              "chain,fan",
                                              "--body",
                                              "empty",
                                              "--engine",
                                              "serial",
                                              "--workers",
                                              "2,4",
                                              "--reps",
                                              "11",
                                              "--smoke",
                                              "--full",
                                              "--pin",
                                              "--json",
                                              "file"});
  ASSERT_TRUE(parent.has_value());
  const std::vector<std::string> arguments = child_arguments(*parent);
  const base::Result<Options> child = parse({arguments.begin(), arguments.end()});
  ASSERT_TRUE(child.has_value());
  EXPECT_TRUE(child->child);
  EXPECT_EQ(child->shapes, parent->shapes);
  EXPECT_EQ(child->bodies, parent->bodies);
  EXPECT_EQ(child->engines, parent->engines);
  EXPECT_EQ(child->workers, parent->workers);
  EXPECT_EQ(child->repetitions, 11U);
  EXPECT_TRUE(child->smoke);
  EXPECT_TRUE(child->full);
  EXPECT_TRUE(child->pin);
  EXPECT_TRUE(child->json_file.empty());
}

}  // namespace
}  // namespace millrace::bench
