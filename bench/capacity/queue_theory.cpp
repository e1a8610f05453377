#include "bench/capacity/queue_theory.h"

#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "base/random.h"
#include "bench/capacity/station.h"
#include "bench/capacity/timeline.h"

namespace millrace::bench {
namespace {

double exponential(base::Random& random, double mean) {
  return -mean * std::log(1.0 - random.unit());
}

/// Probability that an arriving job waits in M/M/c (Erlang C).
double waits_probability(double offered, std::uint32_t servers) {
  double term = 1;
  double sum = 0;
  for (std::uint32_t i = 0; i < servers; ++i) {
    sum += term;
    term *= offered / (i + 1);
  }
  const double tail = term / (1 - offered / servers);
  return tail / (sum + tail);
}

/// Jobs of one open queue.
class OpenQueue final : public Actor {
 public:
  OpenQueue(const QueueLoad& load, std::uint64_t jobs, std::uint64_t seed)
      : load_(load),
        jobs_(jobs),
        random_(seed),
        host_(load.servers),
        station_(timeline_, host_, load.servers) {}

  double run() {
    timeline_.after(0, *this, kArrival);
    while (timeline_.step()) {
    }
    return sum_ / static_cast<double>(counted_);
  }

  void on_event(std::uint64_t word) override {
    if (word == kArrival) return arrive();
    const auto started = started_.find(word);
    // The first tenth fills the queue and is not counted.
    if (word > jobs_ / 10) {
      sum_ += timeline_.now() - started->second;
      ++counted_;
    }
    started_.erase(started);
  }

 private:
  static constexpr std::uint64_t kArrival = 0;

  void arrive() {
    const std::uint64_t job = ++arrived_;
    started_[job] = timeline_.now();
    const double seconds =
        load_.is_constant ? load_.service_seconds : exponential(random_, load_.service_seconds);
    station_.submit({.seconds = seconds, .done = this, .word = job});
    if (arrived_ < jobs_) {
      timeline_.after(exponential(random_, 1 / load_.arrivals_per_second), *this, kArrival);
    }
  }

  const QueueLoad load_;
  const std::uint64_t jobs_;
  base::SplitMix64 random_;
  Timeline timeline_;
  Host host_;
  Station station_;
  std::unordered_map<std::uint64_t, double> started_;
  std::uint64_t arrived_ = 0;
  std::uint64_t counted_ = 0;
  double sum_ = 0;
};

/// Customers that go round between two stations.
class ClosedQueues final : public Actor {
 public:
  ClosedQueues(const ClosedLoad& load, std::uint64_t rounds, std::uint64_t seed)
      : load_(load), rounds_(rounds), random_(seed) {}

  double run() {
    for (std::uint32_t i = 0; i < load_.customers; ++i) on_event(kSecondDone);
    while (done_ < rounds_ && timeline_.step()) {
    }
    return static_cast<double>(done_) / timeline_.now();
  }

  void on_event(std::uint64_t word) override {
    if (word == kFirstDone) {
      const double seconds = exponential(random_, load_.second_seconds);
      return second_.submit({.seconds = seconds, .done = this, .word = kSecondDone});
    }
    if (timeline_.now() > 0) ++done_;
    const double seconds = exponential(random_, load_.first_seconds);
    first_.submit({.seconds = seconds, .done = this, .word = kFirstDone});
  }

 private:
  static constexpr std::uint64_t kFirstDone = 1;
  static constexpr std::uint64_t kSecondDone = 2;

  const ClosedLoad load_;
  const std::uint64_t rounds_;
  base::SplitMix64 random_;
  Timeline timeline_;
  Host first_host_{1};
  Host second_host_{1};
  Station first_{timeline_, first_host_, 1};
  Station second_{timeline_, second_host_, 1};
  std::uint64_t done_ = 0;
};

}  // namespace

double mean_response(const QueueLoad& load) {
  const double offered = load.arrivals_per_second * load.service_seconds;
  const double utilisation = offered / load.servers;
  if (load.is_constant) {
    return load.service_seconds * (1 + utilisation / (2 * (1 - utilisation)));
  }
  const double wait = waits_probability(offered, load.servers) * load.service_seconds /
                      (load.servers * (1 - utilisation));
  return load.service_seconds + wait;
}

double closed_throughput(const ClosedLoad& load) {
  double first_length = 0;
  double second_length = 0;
  double rate = 0;
  for (std::uint32_t customers = 1; customers <= load.customers; ++customers) {
    const double first = load.first_seconds * (1 + first_length);
    const double second = load.second_seconds * (1 + second_length);
    rate = customers / (first + second);
    first_length = rate * first;
    second_length = rate * second;
  }
  return rate;
}

double simulated_response(const QueueLoad& load, std::uint64_t jobs, std::uint64_t seed) {
  return OpenQueue(load, jobs, seed).run();
}

double simulated_throughput(const ClosedLoad& load, std::uint64_t rounds, std::uint64_t seed) {
  return ClosedQueues(load, rounds, seed).run();
}

}  // namespace millrace::bench
