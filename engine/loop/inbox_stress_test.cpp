#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sync/atomics.h"
#include "loop/inbox.h"

namespace millrace::loop {
namespace {

struct Letter : InboxLink {
  std::size_t producer = 0;
  std::size_t number = 0;
};

TEST(InboxStressTest, LosesNothingAndKeepsEachProducersOrder) {
  constexpr std::size_t kProducerCount = 3;
  constexpr std::size_t kLetterCount = 50'000;
  Inbox<> inbox;
  std::vector<std::vector<Letter>> letters(kProducerCount, std::vector<Letter>(kLetterCount));
  std::vector<std::size_t> found_empty(kProducerCount);
  std::vector<std::thread> producers;
  producers.reserve(kProducerCount);
  for (std::size_t producer = 0; producer < kProducerCount; ++producer) {
    producers.emplace_back([&, producer] {
      for (std::size_t number = 0; number < kLetterCount; ++number) {
        Letter& letter = letters[producer][number];
        letter.producer = producer;
        letter.number = number;
        if (inbox.push(letter)) ++found_empty[producer];
      }
    });
  }

  std::vector<std::size_t> next(kProducerCount);
  std::size_t batch_count = 0;
  for (std::size_t received = 0; received < kProducerCount * kLetterCount;) {
    const InboxLink* batch = inbox.take_all();
    if (batch == nullptr) {
      base::StdAtomics::yield();
      continue;
    }
    ++batch_count;
    for (; batch != nullptr; batch = batch->next, ++received) {
      const auto* const letter = static_cast<const Letter*>(batch);
      ASSERT_EQ(letter->number, next[letter->producer]++);
    }
  }
  for (std::thread& producer : producers) producer.join();
  // Each batch began with exactly one push that found the inbox empty.
  std::size_t found_empty_count = 0;
  for (const std::size_t count : found_empty) found_empty_count += count;
  EXPECT_EQ(found_empty_count, batch_count);
}

}  // namespace
}  // namespace millrace::loop
