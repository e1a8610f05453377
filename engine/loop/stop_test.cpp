#include "loop/stop.h"

#include <vector>

#include <gtest/gtest.h>

namespace millrace::loop {
namespace {

class NumberedCallback : public StopCallback {
 public:
  NumberedCallback(int number, std::vector<int>& log)
      : StopCallback(&call), number_(number), log_(log) {}

 private:
  static void call(StopCallback& callback) {
    auto& self = static_cast<NumberedCallback&>(callback);
    self.log_.push_back(self.number_);
  }
  int number_;
  std::vector<int>& log_;
};

TEST(StopTest, TokenSeesTheRequest) {
  StopSource source;
  const StopToken token = source.token();
  EXPECT_FALSE(token.stop_requested());
  EXPECT_TRUE(source.request_stop());
  EXPECT_TRUE(token.stop_requested());
}

TEST(StopTest, OnlyTheFirstRequestCounts) {
  std::vector<int> log;
  StopSource source;
  NumberedCallback callback(1, log);
  ASSERT_TRUE(callback.try_connect(source.token()));
  EXPECT_TRUE(source.request_stop());
  EXPECT_FALSE(source.request_stop());
  EXPECT_EQ(log, std::vector<int>{1});
}

TEST(StopTest, EmptyTokenNeverStops) {
  std::vector<int> log;
  NumberedCallback callback(1, log);
  EXPECT_FALSE(StopToken().stop_requested());
  EXPECT_TRUE(callback.try_connect(StopToken()));
  callback.disconnect();
  EXPECT_TRUE(log.empty());
}

TEST(StopTest, CallbacksRunInOrderOfConnection) {
  std::vector<int> log;
  StopSource source;
  NumberedCallback one(1, log), two(2, log), three(3, log), four(4, log);
  for (NumberedCallback* callback : {&three, &one, &four, &two}) {
    ASSERT_TRUE(callback->try_connect(source.token()));
  }
  source.request_stop();
  EXPECT_EQ(log, (std::vector<int>{3, 1, 4, 2}));
}

TEST(StopTest, DisconnectedCallbacksDoNotRun) {
  std::vector<int> log;
  StopSource source;
  NumberedCallback first(1, log), middle(2, log), last(3, log), kept(4, log);
  for (NumberedCallback* callback : {&first, &middle, &kept, &last}) {
    ASSERT_TRUE(callback->try_connect(source.token()));
  }
  first.disconnect();
  middle.disconnect();
  last.disconnect();
  last.disconnect();
  {
    NumberedCallback destroyed(5, log);
    ASSERT_TRUE(destroyed.try_connect(source.token()));
  }
  source.request_stop();
  EXPECT_EQ(log, std::vector<int>{4});
}

TEST(StopTest, ConnectingAfterTheRequestIsRefused) {
  std::vector<int> log;
  StopSource source;
  source.request_stop();
  NumberedCallback callback(1, log);
  EXPECT_FALSE(callback.try_connect(source.token()));
  EXPECT_TRUE(log.empty());
}

TEST(StopTest, ACallbackCanBeConnectedAgain) {
  std::vector<int> log;
  StopSource first, second;
  NumberedCallback callback(1, log);
  ASSERT_TRUE(callback.try_connect(first.token()));
  first.request_stop();
  callback.disconnect();
  ASSERT_TRUE(callback.try_connect(second.token()));
  second.request_stop();
  EXPECT_EQ(log, (std::vector<int>{1, 1}));
}

TEST(StopTest, ResetMakesTheSourceAsNew) {
  std::vector<int> log;
  StopSource source;
  source.request_stop();
  source.reset();
  EXPECT_FALSE(source.stop_requested());
  NumberedCallback callback(1, log);
  ASSERT_TRUE(callback.try_connect(source.token()));
  EXPECT_TRUE(source.request_stop());
  EXPECT_EQ(log, std::vector<int>{1});
}

}  // namespace
}  // namespace millrace::loop
