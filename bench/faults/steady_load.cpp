#include "bench/faults/steady_load.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/check.h"
#include "rank/ranker.h"
#include "rank/request.h"

namespace millrace::bench {

using std::chrono::duration;

/// The memory of one request; reused when it has been answered.
class SteadyLoad::Slot final : public rank::RankCall {
 public:
  explicit Slot(SteadyLoad& load) : load_(load) {}

  [[nodiscard]] bool is_free() const { return free_.load(std::memory_order_acquire); }

  void start(Sample& sample, const live::PlanAnswers& plan, int user) {
    free_.store(false, std::memory_order_relaxed);
    sample_ = &sample;
    plan_ = &plan;
    user_ = user;
    const double deadline_ms = duration<double, std::milli>(load_.options_.deadline).count();
    text_ = live::KnownAnswers::request(plan.plan, user, deadline_ms);
    sample.started = base::steady_clock().now();
    load_.engine_.ranker(0).start(*this, reader_, text_);
  }

 private:
  void on_answer() override {
    sample_->answered = base::steady_clock().now();
    sample_->verdict = plan_->answers.judge(user_, ok(), response());
    if (sample_->verdict == live::Verdict::kWrong && !load_.has_wrong_.exchange(true)) {
      load_.first_wrong_ = response();
    }
    free_.store(true, std::memory_order_release);
  }

  SteadyLoad& load_;
  rank::RequestReader reader_;
  std::string text_;
  Sample* sample_ = nullptr;
  const live::PlanAnswers* plan_ = nullptr;
  int user_ = 0;
  // Publishes the sample, and returns the slot to the thread that starts requests.
  std::atomic<bool> free_{true};
};

SteadyLoad::SteadyLoad(host::Engine& engine,
                       std::span<const live::PlanAnswers> plans,
                       const SteadyOptions& options)
    : engine_(engine), plans_(plans), options_(options) {
  const double count = options.requests_per_s * duration<double>(options.time_max).count();
  // Never grows: slots point into it.
  samples_.reserve(static_cast<std::size_t>(count) + 1);
  starter_ = std::thread([this] { run(); });
}

SteadyLoad::~SteadyLoad() {
  if (starter_.joinable()) stop();
}

SteadyLoad::Slot& SteadyLoad::free_slot() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    next_slot_ = next_slot_ + 1 < slots_.size() ? next_slot_ + 1 : 0;
    if (slots_[next_slot_]->is_free()) return *slots_[next_slot_];
  }
  return *slots_.emplace_back(std::make_unique<Slot>(*this));
}

void SteadyLoad::run() {
  const auto gap =
      std::chrono::duration_cast<base::Duration>(duration<double>(1 / options_.requests_per_s));
  base::TimePoint due = base::steady_clock().now();
  while (!stopping_.load(std::memory_order_relaxed)) {
    if (samples_.size() == samples_.capacity()) return;
    std::this_thread::sleep_until(due);
    const std::size_t number = samples_.size();
    const live::PlanAnswers& plan = plans_[number % plans_.size()];
    const auto user = static_cast<int>(number / plans_.size()) % options_.users;
    free_slot().start(samples_.emplace_back(), plan, user);
    due += gap;
  }
}

bool SteadyLoad::all_answered() const {
  return std::ranges::all_of(slots_, [](const auto& slot) { return slot->is_free(); });
}

void SteadyLoad::stop() {
  stopping_ = true;
  starter_.join();
  const base::TimePoint end = base::steady_clock().now() + std::chrono::seconds(30);
  while (!all_answered()) {
    if (base::steady_clock().now() > end) {
      std::fputs("bench_faults: a request was never answered\n", stderr);
      std::abort();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace millrace::bench
