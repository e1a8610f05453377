#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "host/engine.h"
#include "known_answers.h"
#include "rank/ranker.h"
#include "rank/request.h"

namespace millrace::live {

/// A plan and its correct answers.
struct PlanAnswers {
  std::string plan;
  KnownAnswers answers;
};

/// `complex_dag` and `guarded_dag`, as an engine on embedded data answers them.
inline std::vector<PlanAnswers> known_plans(host::Engine& embedded, int users) {
  std::vector<PlanAnswers> plans;
  for (const char* const plan : {"complex_dag", "guarded_dag"}) {
    plans.push_back({.plan = plan, .answers = KnownAnswers(embedded, plan, users)});
  }
  return plans;
}

/// Keeps some requests running until it is stopped, for random users and plans, and checks each
/// answer.
/// Threading: one thread starts, waits and stops. Lifetime: borrows the engine and the plans.
class CheckedLoad {
 public:
  struct Options {
    int slots = 16;
    int users = 1;
    double deadline_ms = 1000;  ///< 0: random, from 1 to 20
  };
  /// Counts of the answers so far.
  struct Tally {
    std::atomic<std::int64_t> full{0};
    std::atomic<std::int64_t> partial{0};
    std::atomic<std::int64_t> degraded{0};
    std::atomic<std::int64_t> failed{0};
    std::atomic<std::int64_t> wrong{0};
  };

  CheckedLoad(host::Engine& engine, std::span<const PlanAnswers> plans, const Options& options)
      : engine_(engine), plans_(plans), options_(options) {
    for (int i = 0; i < options.slots; ++i) slots_.push_back(std::make_unique<Slot>(*this, i + 1));
  }

  void start(std::int64_t request_limit = INT64_MAX) {
    left_ = request_limit;
    for (const auto& slot : slots_) slot->next();
  }
  void stop() {
    left_ = 0;
    wait();
  }
  /// Waits until all requests have been answered: after the request limit is reached, or by stop().
  void wait() {
    for (std::size_t i = 0; i < slots_.size(); ++i) done_.acquire();
  }
  /// Waits until `count` has grown by `more`.
  static void wait_for(const std::atomic<std::int64_t>& count, std::int64_t more) {
    const std::int64_t wanted = count.load() + more;
    while (count.load() < wanted) std::this_thread::yield();
  }
  /// Says whether keys are missing on the server; requests that run during that time may get
  /// partial answers.
  void set_keys_missing(bool missing) { keys_missing_ = missing; }

  Tally tally;
  /// The first response that was wrong. Call it after all have been answered.
  [[nodiscard]] std::string first_wrong() {
    const base::MutexLock lock(mutex_);
    return first_wrong_;
  }

 private:
  class Slot final : public rank::RankCall {
   public:
    Slot(CheckedLoad& load, int seed) : load_(load), random_(static_cast<std::uint64_t>(seed)) {}

    void next() {
      for (;;) {
        if (load_.left_.fetch_sub(1) <= 0) return load_.done_.release();
        user_ = static_cast<int>(below(load_.options_.users));
        plan_ =
            &load_.plans_[static_cast<std::size_t>(below(static_cast<int>(load_.plans_.size())))];
        const double deadline =
            load_.options_.deadline_ms > 0 ? load_.options_.deadline_ms : 1.0 + below(20);
        keys_were_missing_ = load_.keys_missing_;
        state_ = 0;
        load_.engine_.ranker(0).start(
            *this, reader_, KnownAnswers::request(plan_->plan, user_, deadline));
        int starting = 0;
        if (state_.compare_exchange_strong(starting, 1)) return;
      }
    }

   private:
    [[nodiscard]] int below(int bound) {
      return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound)));
    }
    void on_answer() override {
      count(plan_->answers.judge(user_, ok(), response()));
      if (state_.exchange(2) == 1) next();
    }
    void count(Verdict verdict) {
      switch (verdict) {
        case Verdict::kFull:
          ++load_.tally.full;
          return;
        case Verdict::kDegraded:
          ++load_.tally.degraded;
          return;
        case Verdict::kError:
          ++load_.tally.failed;
          return;
        case Verdict::kPartial:
          if (!keys_were_missing_ && !load_.keys_missing_) break;
          ++load_.tally.partial;
          return;
        case Verdict::kWrong:
          break;
      }
      ++load_.tally.wrong;
      const base::MutexLock lock(load_.mutex_);
      if (load_.first_wrong_.empty()) load_.first_wrong_ = response();
    }

    CheckedLoad& load_;
    base::SplitMix64 random_;
    rank::RequestReader reader_;
    int user_ = 0;
    const PlanAnswers* plan_ = nullptr;
    bool keys_were_missing_ = false;
    // Passes the slot from the thread that started a request to the one that answered it.
    std::atomic<int> state_{0};
  };

  host::Engine& engine_;
  const std::span<const PlanAnswers> plans_;
  const Options options_;
  std::vector<std::unique_ptr<Slot>> slots_;
  // Number of requests still to start; publishes nothing.
  std::atomic<std::int64_t> left_{0};
  // Tells slots that the test has removed keys from the server.
  std::atomic<bool> keys_missing_{false};
  std::counting_semaphore<> done_{0};
  base::Mutex mutex_;
  std::string first_wrong_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::live
