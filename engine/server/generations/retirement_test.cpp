#include "server/generations/retirement.h"

#include <future>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace millrace::server {
namespace {

/// Tells when the thread ends on which it was first used.
struct ThreadEndTold {
  std::promise<void>* told = nullptr;
  ~ThreadEndTold() {
    if (told != nullptr) told->set_value();
  }
};
thread_local ThreadEndTold end_told;

TEST(RetirementTest, S53_TheThreadThatDestroysEndsAndKeepsNoMemory) {
  Retirement retirement;
  for (int i = 0; i < 3; ++i) {
    std::promise<void> ended;
    std::promise<std::thread::id> destroyed_by;
    retirement.take(std::shared_ptr<int>(new int(i), [&](const int* object) {
      delete object;
      end_told.told = &ended;
      destroyed_by.set_value(std::this_thread::get_id());
    }));
    EXPECT_NE(destroyed_by.get_future().get(), std::this_thread::get_id());
    ended.get_future().wait();  // while the retirement goes on
  }
}

}  // namespace
}  // namespace millrace::server
