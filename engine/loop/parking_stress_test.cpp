#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sync/atomics.h"
#include "base/sync/parking.h"
#include "loop/inbox.h"

namespace millrace::loop {
namespace {

struct Letter : InboxLink {
  std::size_t number = 0;
};

// One consumer that sleeps whenever its inbox is empty. A lost wake-up hangs the test.
struct Consumer {
  Inbox<> inbox;
  base::ParkingSpot<> spot;
  std::size_t received_count = 0;
  std::size_t sum = 0;
  std::size_t notified_count = 0;

  void receive(std::size_t letter_count) {
    while (received_count < letter_count) {
      if (take()) continue;
      spot.announce();
      if (!inbox.looks_empty()) {
        if (!spot.cancel()) ++notified_count;
      } else if (spot.wait(std::nullopt)) {
        ++notified_count;
      }
    }
  }

  bool take() {
    const InboxLink* letters = inbox.take_all();
    const bool found = letters != nullptr;
    for (; letters != nullptr; letters = letters->next) {
      ++received_count;
      sum += static_cast<const Letter*>(letters)->number;
    }
    return found;
  }
};

std::size_t send(Consumer& consumer, std::vector<Letter>& letters) {
  std::size_t wake_count = 0;
  for (std::size_t number = 0; number < letters.size(); ++number) {
    letters[number].number = number;
    consumer.inbox.push(letters[number]);
    base::StdAtomics::fence_seq_cst();
    if (consumer.spot.is_waiting() && consumer.spot.notify()) ++wake_count;
  }
  return wake_count;
}

TEST(ParkingStressTest, P6_NoWakeUpIsLostAndEachIsCountedOnce) {
  constexpr std::size_t kProducerCount = 2;
  constexpr std::size_t kLetterCount = 20'000;
  Consumer consumer;
  std::vector<std::vector<Letter>> letters(kProducerCount, std::vector<Letter>(kLetterCount));
  std::vector<std::size_t> wake_counts(kProducerCount);
  std::vector<std::thread> producers;
  producers.reserve(kProducerCount);
  for (std::size_t producer = 0; producer < kProducerCount; ++producer) {
    producers.emplace_back(
        [&, producer] { wake_counts[producer] = send(consumer, letters[producer]); });
  }
  consumer.receive(kProducerCount * kLetterCount);
  for (std::thread& producer : producers) producer.join();

  EXPECT_EQ(consumer.sum, kProducerCount * (kLetterCount * (kLetterCount - 1) / 2));
  std::size_t wake_count = 0;
  for (const std::size_t count : wake_counts) wake_count += count;
  EXPECT_EQ(wake_count, consumer.notified_count);
}

// One letter at a time to and fro, so that both sides sleep at almost every step.
TEST(ParkingStressTest, P6_TwoSleepersWakeEachOther) {
  constexpr std::size_t kRoundCount = 5'000;
  Consumer ping;
  Consumer pong;
  std::vector<Letter> there(1);
  std::vector<Letter> back(1);
  std::thread peer([&] {
    for (std::size_t round = 1; round <= kRoundCount; ++round) {
      pong.receive(round);
      send(ping, back);
    }
  });
  for (std::size_t round = 1; round <= kRoundCount; ++round) {
    send(pong, there);
    ping.receive(round);
  }
  peer.join();
  EXPECT_EQ(ping.received_count, kRoundCount);
  EXPECT_EQ(pong.received_count, kRoundCount);
}

}  // namespace
}  // namespace millrace::loop
