#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "loop/stop.h"

namespace millrace::loop {
namespace {

class CountingCallback : public StopCallback {
 public:
  CountingCallback() : StopCallback(&call) {}
  // Plain on purpose: the race detector sees an access that `disconnect` did not settle.
  int count = 0;

 private:
  static void call(StopCallback& callback) { ++static_cast<CountingCallback&>(callback).count; }
};

// Threads connect and disconnect while one of several requesters wins: each callback either ran
// once or never will, and `disconnect` knows which.
TEST(StopStressTest, DisconnectSettlesWhetherACallbackRan) {
  constexpr int kRounds = 300;
  constexpr int kConnectors = 3;
  constexpr int kRequesters = 2;
  for (int round = 0; round < kRounds; ++round) {
    StopSource source;
    std::barrier barrier(kConnectors + kRequesters);
    std::atomic<int> first_requests{0};
    std::vector<std::thread> threads;
    threads.reserve(kConnectors);
    for (int i = 0; i < kConnectors; ++i) {
      threads.emplace_back([&] {
        barrier.arrive_and_wait();
        for (;;) {
          CountingCallback callback;
          const bool connected = callback.try_connect(source.token());
          callback.disconnect();
          if (!connected) {
            EXPECT_EQ(callback.count, 0);
            return;
          }
          EXPECT_LE(callback.count, 1);
          const int settled = callback.count;
          if (settled == 1) {
            EXPECT_TRUE(source.stop_requested());
          }
        }
      });
    }
    for (int i = 0; i < kRequesters; ++i) {
      threads.emplace_back([&] {
        barrier.arrive_and_wait();
        if (source.request_stop()) first_requests.fetch_add(1);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(first_requests.load(), 1);
  }
}

// A callback that stays connected runs although the request comes from another thread at any
// moment.
TEST(StopStressTest, AConnectedCallbackIsNeverForgotten) {
  for (int round = 0; round < 500; ++round) {
    StopSource source;
    CountingCallback callback;
    std::barrier barrier(2);
    std::thread requester([&] {
      barrier.arrive_and_wait();
      source.request_stop();
    });
    barrier.arrive_and_wait();
    const bool connected = callback.try_connect(source.token());
    requester.join();
    callback.disconnect();
    EXPECT_EQ(callback.count, connected ? 1 : 0);
  }
}

}  // namespace
}  // namespace millrace::loop
