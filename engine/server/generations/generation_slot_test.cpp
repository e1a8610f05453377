#include "server/generations/generation_slot.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct SlotRig {
  void set(int number) { slot.set({.owner = std::make_shared<int>(number)}); }
  static int number_of(const LoopPlans& plans) { return *static_cast<int*>(plans.owner.get()); }
  std::vector<int> retired;
  GenerationSlot slot{0, [this](std::shared_ptr<void> owner) {
                        retired.push_back(*static_cast<int*>(owner.get()));
                      }};
};

TEST(GenerationSlotTest, S24_ARequestKeepsItsGenerationWhichGoesWithItsLastRequest) {
  SlotRig rig;
  rig.set(1);
  GenerationSlot::Use first = rig.slot.use();
  GenerationSlot::Use second = rig.slot.use();
  rig.set(2);
  EXPECT_EQ(SlotRig::number_of(first.plans()), 1);
  EXPECT_EQ(SlotRig::number_of(rig.slot.current()), 2);
  GenerationSlot::Use third = rig.slot.use();
  rig.set(3);
  first.end();
  EXPECT_THAT(rig.retired, IsEmpty());
  third.end();
  EXPECT_THAT(rig.retired, ElementsAre(2));
  EXPECT_EQ(SlotRig::number_of(second.plans()), 1);
  second.end();
  second.end();
  EXPECT_THAT(rig.retired, ElementsAre(2, 1));
  EXPECT_EQ(rig.slot.held_count(), 1U);
}

TEST(GenerationSlotTest, S24_OneWithoutRequestsGoesAtOnce) {
  SlotRig rig;
  rig.set(1);
  {
    const GenerationSlot::Use use = rig.slot.use();
  }
  rig.set(2);
  EXPECT_THAT(rig.retired, ElementsAre(1));
}

TEST(RequestRecallTest, S27_KeepsTheLast16RequestsOfEachPlan) {
  RequestRecall recall;
  for (int number = 0; number < 20; ++number) recall.note("p", std::to_string(number));
  recall.note("q", std::string(RequestRecall::kBytesMax + 1, 'x'));
  std::vector<std::string> texts;
  recall.append("p", texts);
  EXPECT_THAT(texts, SizeIs(16));
  EXPECT_THAT(texts, ::testing::Not(::testing::Contains("3")));
  EXPECT_THAT(texts, ::testing::Contains("19"));
  texts.clear();
  recall.append("q", texts);
  recall.append("r", texts);
  EXPECT_THAT(texts, IsEmpty());
}

}  // namespace
}  // namespace millrace::server
