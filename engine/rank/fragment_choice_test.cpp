#include "rank/fragment_choice.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"

namespace millrace::rank {
namespace {

using ::testing::HasSubstr;
using testing::node;
using testing::plan_text;
using testing::RankRig;
using testing::source_node;

/// A plan of `count` rows with more top-level fields.
std::string variant(std::string_view name, int count, std::string_view fields) {
  std::string text = plan_text(source_node(count), R"(["src"])", R"(["id"])", std::string(name));
  text.insert(text.size() - 1, std::string(", ") + std::string(fields));
  return text;
}

class FragmentChoiceTest : public ::testing::Test {
 protected:
  FragmentChoiceTest() {
    rig_.load(variant("p", 1, R"("fragments": {"cut": "1", "mix": "a"})"));
    rig_.load(variant("p@cut=2", 2, R"("fragments": {"cut": "2", "mix": "a"}, "variant_of": "p")"));
    rig_.load(
        variant("p@cut=2,mix=b", 3, R"("fragments": {"cut": "2", "mix": "b"}, "variant_of": "p")"));
  }
  /// Name of the plan that answers, or the error's code and message.
  std::string answers(std::string_view versions) {
    const auto call =
        rig_.ask(R"({"user_id": 1, "fragment_versions": )" + std::string(versions) + "}");
    return call->ok() ? call->part("plan") : call->part("error");
  }
  RankRig rig_;
};

TEST_F(FragmentChoiceTest, ART10_ThePlansOwnVersionsAreThePlanItself) {
  EXPECT_THAT(answers("{}"), HasSubstr(R"("name":"p")"));
  EXPECT_THAT(answers(R"({"cut": "1"})"), HasSubstr(R"("name":"p")"));
  EXPECT_THAT(answers(R"({"cut": 1, "mix": "a"})"), HasSubstr(R"("name":"p")"));
}

TEST_F(FragmentChoiceTest, ART10_OtherVersionsAreAnsweredByTheirVariant) {
  EXPECT_THAT(answers(R"({"cut": "2"})"), HasSubstr(R"("name":"p@cut=2")"));
  EXPECT_THAT(answers(R"({"cut": 2, "mix": "a"})"), HasSubstr(R"("name":"p@cut=2")"));
  EXPECT_THAT(answers(R"({"mix": "b", "cut": "2"})"), HasSubstr(R"("name":"p@cut=2,mix=b")"));
}

TEST_F(FragmentChoiceTest, ART10_AVersionThatIsNotLoadedIsRefused) {
  EXPECT_THAT(answers(R"({"cut": "3"})"), HasSubstr("is not loaded with 'cut=3'"));
  EXPECT_THAT(answers(R"({"mix": "b"})"), HasSubstr("unknown_version"));
  EXPECT_THAT(answers(R"({"cut": null})"), HasSubstr("is not loaded with 'cut='"));
}

TEST_F(FragmentChoiceTest, ART10_AFragmentThePlanDoesNotHaveIsRefused) {
  EXPECT_THAT(answers(R"({"cot": "1"})"), HasSubstr("has no fragment 'cot'"));
}

TEST_F(FragmentChoiceTest, ART10_AVariantIsNoSecondPlanToChooseFrom) {
  EXPECT_TRUE(rig_.ask(R"({"user_id": 1})")->ok());
}

}  // namespace
}  // namespace millrace::rank
