#include "base/sync/sequence_lock.h"

#include <atomic>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

namespace millrace::base {
namespace {

TEST(SequenceLockTest, AReaderSeesNumbersOfOneMoment) {
  SequenceLock<> lock;
  SequencedNumber<> received;
  SequencedNumber<> done;
  SequencedNumber<> open;
  std::atomic<bool> is_over{false};
  std::thread writer([&] {
    for (int turn = 0; turn < 20'000; ++turn) {
      {
        const SequenceLock<>::Change change(lock);
        received.add(1);
        open.add(1);
      }
      const SequenceLock<>::Change change(lock);
      open.add(-1);
      done.add(1);
    }
    is_over.store(true);
  });
  std::int64_t last = 0;
  while (!is_over.load()) {
    std::int64_t seen[3] = {0, 0, 0};
    lock.read([&] {
      seen[0] = received.value();
      seen[1] = done.value();
      seen[2] = open.value();
    });
    ASSERT_EQ(seen[0], seen[1] + seen[2]);
    ASSERT_GE(seen[0], last);
    last = seen[0];
  }
  writer.join();
  EXPECT_EQ(received.value(), 20'000);
  EXPECT_EQ(open.value(), 0);
}

}  // namespace
}  // namespace millrace::base
