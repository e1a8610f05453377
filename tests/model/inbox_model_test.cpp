#include <algorithm>
#include <array>
#include <cstddef>

#include <gtest/gtest.h>

#include "expectations.h"
#include "explorer.h"
#include "loop/inbox.h"
#include "memory.h"
#include "model_atomics.h"
#include "planted_bugs.h"

namespace millrace::model {
namespace {

// Producers push letters with plain data inside; each thread records what it did.
template <class Atomics>
class InboxScenario : public Scenario {
 public:
  using Scenario::Scenario;

  // The most letters taken at once in any execution.
  static inline std::size_t longest_batch = 0;

  void finish() override {
    take_all(kThreadCountMax);
    for (std::size_t producer = 0; producer < kThreadCountMax; ++producer) {
      for (std::size_t number = 0; number < sent_[producer]; ++number) {
        require(letters_[producer][number].received_count == 1, "Every letter arrives once");
      }
    }
    int batch_count = 0;
    int found_empty_count = 0;
    for (const int count : batch_counts_) batch_count += count;
    for (const int count : found_empty_counts_) found_empty_count += count;
    require(batch_count == found_empty_count, "Exactly the first push of a batch finds it empty");
  }

 protected:
  void send(std::size_t producer) {
    const std::size_t number = sent_[producer]++;
    Letter& letter = letters_[producer][number];
    letter.producer.set(producer);
    letter.number.set(number);
    if (inbox_.push(letter)) ++found_empty_counts_[producer];
  }

  void take_all(std::size_t consumer) {
    std::array<std::size_t, kThreadCountMax> next{};
    loop::InboxLink* link = inbox_.take_all();
    if (link != nullptr) ++batch_counts_[consumer];
    for (std::size_t length = 1; link != nullptr; link = link->next, ++length) {
      longest_batch = std::max(longest_batch, length);
      if (length > kThreadCountMax * kLetterCountMax) return require(false, "A batch ends");
      auto& letter = static_cast<Letter&>(*link);
      const std::size_t producer = letter.producer.get();
      const std::size_t number = letter.number.get();
      require(number >= next[producer], "A producer's letters keep their order");
      next[producer] = number + 1;
      ++letter.received_count;
    }
  }

 private:
  static constexpr std::size_t kLetterCountMax = 2;
  struct Letter : loop::InboxLink {
    Cell<std::size_t> producer;
    Cell<std::size_t> number;
    int received_count = 0;
  };

  loop::Inbox<Atomics> inbox_;
  std::array<std::array<Letter, kLetterCountMax>, kThreadCountMax> letters_;
  // The records, by thread. The last batch is taken by the outside.
  std::array<std::size_t, kThreadCountMax> sent_{};
  std::array<int, kThreadCountMax> found_empty_counts_{};
  std::array<int, kThreadCountMax + 1> batch_counts_{};
};

template <class Atomics>
class TwoProducers : public InboxScenario<Atomics> {
 public:
  TwoProducers() : InboxScenario<Atomics>(3) {}

  void run(std::size_t thread) override {
    for (int round = 0; round < 2; ++round) {
      if (thread == 2) {
        this->take_all(thread);
      } else {
        this->send(thread);
      }
    }
  }
};

template <class Atomics>
class TwoConsumers : public InboxScenario<Atomics> {
 public:
  TwoConsumers() : InboxScenario<Atomics>(3) {}

  void run(std::size_t thread) override {
    for (int round = 0; round < 2; ++round) {
      if (thread == 0) {
        this->send(thread);
      } else {
        this->take_all(thread);
      }
    }
  }
};

TEST(InboxModelTest, NothingIsLostDoubledOrReordered) {
  InboxScenario<ModelAtomics>::longest_batch = 0;
  expect_holds<TwoProducers<ModelAtomics>>();
  EXPECT_EQ(InboxScenario<ModelAtomics>::longest_batch, 4U);
}

TEST(InboxModelTest, AnyThreadMayTake) { expect_holds<TwoConsumers<ModelAtomics>>(); }

TEST(InboxModelTest, PlantedTornUpdatesAreCaught) {
  expect_caught<TwoProducers<TornUpdates>>(StoreOrder::kTotal, "Every letter arrives once");
  expect_caught<TwoConsumers<TornUpdates>>(StoreOrder::kTotal, "Every letter arrives once");
}

TEST(InboxModelTest, PlantedMissingReleaseIsCaught) {
  expect_caught<TwoProducers<NoRelease>>(StoreOrder::kTotal, "Plain data is read");
}

TEST(InboxModelTest, PlantedMissingAcquireIsCaught) {
  expect_caught<TwoProducers<NoAcquire>>(StoreOrder::kTotal, "Plain data is read");
}

}  // namespace
}  // namespace millrace::model
