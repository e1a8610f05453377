#include "bench/capacity/sizing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "bench/capacity/fleet.h"
#include "bench/capacity/key_curve.h"
#include "bench/capacity/station.h"
#include "bench/capacity/timeline.h"

namespace millrace::bench {
namespace {

std::uint64_t at_least(double value) {
  // What is a whole number but for rounding stays that number.
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(value - 1e-9)));
}

/// Regions as stations; the requests of the lost one take the way to another first.
class Regions final : public Actor {
 public:
  explicit Regions(const RegionSettings& settings)
      : settings_(settings), left_(settings.regions - 1), random_(settings.seed) {
    for (std::uint32_t i = 0; i < left_; ++i) {
      hosts_.push_back(std::make_unique<Host>(settings.servers));
      stations_.push_back(std::make_unique<Station>(timeline_, *hosts_.back(), settings.servers));
    }
  }

  RegionResult run() {
    timeline_.after(0, *this, kArrival);
    while (timeline_.step()) {
    }
    const double total = static_cast<double>(settings_.requests);
    const double possible = last_answer_ * left_ * settings_.servers / settings_.service_seconds;
    return {.answered_part = static_cast<double>(answered_) / total,
            .capacity_part = static_cast<double>(answered_) / possible,
            .refused_abroad = static_cast<double>(too_far_) / total};
  }

  void on_event(std::uint64_t word) override {
    if (word == kArrival) return arrive();
    const auto request = running_.find(word >> 1);
    if ((word & 1) == kAtRegion) return admit(word >> 1, request->second);
    if (timeline_.now() <= request->second.deadline) ++answered_;
    last_answer_ = timeline_.now();
    running_.erase(request);
  }

 private:
  static constexpr std::uint64_t kArrival = 0;
  static constexpr std::uint64_t kAtRegion = 1;

  struct Request {
    double deadline = 0;
    std::uint32_t region = 0;
    double way_back = 0;
  };

  void arrive() {
    const std::uint64_t id = ++begun_;
    const auto home = static_cast<std::uint32_t>(random_.below(settings_.regions));
    const bool is_lost = home == left_;
    // A request has between half and all of the usual time left when it arrives.
    const double left = settings_.deadline_seconds * (0.5 + random_.unit() / 2);
    const double way = is_lost ? settings_.round_trip_seconds : 0;
    if (left < way + settings_.service_seconds) {
      ++too_far_;
    } else {
      const std::uint32_t region = is_lost ? static_cast<std::uint32_t>(id % left_) : home;
      running_[id] = {.deadline = timeline_.now() + left, .region = region, .way_back = way / 2};
      timeline_.after(way / 2, *this, (id << 1) | kAtRegion);
    }
    if (begun_ >= settings_.requests) return;
    const double rate =
        settings_.use * settings_.regions * settings_.servers / settings_.service_seconds;
    timeline_.after(-std::log(1.0 - random_.unit()) / rate, *this, kArrival);
  }

  /// Takes a request only if it can still be answered in time behind those that wait.
  void admit(std::uint64_t id, const Request& request) {
    Station& station = *stations_[request.region];
    const double wait =
        static_cast<double>(station.job_count()) * settings_.service_seconds / settings_.servers;
    const double end = timeline_.now() + wait + settings_.service_seconds + request.way_back;
    if (end > request.deadline) {
      running_.erase(id);
      return;
    }
    const double seconds = settings_.service_seconds * -std::log(1.0 - random_.unit());
    station.submit({.seconds = seconds, .done = this, .word = id << 1});
  }

  const RegionSettings settings_;
  const std::uint32_t left_;
  base::SplitMix64 random_;
  Timeline timeline_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<std::unique_ptr<Station>> stations_;
  std::unordered_map<std::uint64_t, Request> running_;
  std::uint64_t begun_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t too_far_ = 0;
  double last_answer_ = 0;
};

}  // namespace

double commands_per_request(const RequestCost& cost) { return cost.rounds * cost.keys_per_round; }

double shard_seconds_per_request(const RequestCost& cost) {
  // Far more shards than keys of a round: nearly every command travels alone.
  return commands_per_request(cost) * (cost.batch_seconds + cost.command_seconds);
}

Sizing size_fleet(const SizingQuestion& question, const RequestCost& cost, const KeyCurve& keys) {
  const double rate = question.requests_per_second;
  Sizing sizing;
  sizing.machines = at_least(rate * cost.cpu_seconds / (question.cores * kPlannedUse));
  const double sent = rate * (1 - question.served_from_cache);
  sizing.shards = at_least(sent * shard_seconds_per_request(cost) / kPlannedUse);
  sizing.connections = sizing.machines * question.loops * question.connections * sizing.shards;
  const double hottest = keys.share_of_first(1);
  const double mean = sent * shard_seconds_per_request(cost) / static_cast<double>(sizing.shards);
  sizing.busiest_shard = mean + hottest * sent * shard_seconds_per_request(cost);
  return sizing;
}

double caching_pays_below(double reads_per_second, double cache_seconds, std::uint64_t loops) {
  // With a cache each loop reads a key once per lifetime at most; a write costs a message per loop.
  const double read_again = std::min(reads_per_second, static_cast<double>(loops) / cache_seconds);
  return std::max(0.0, (reads_per_second - read_again) / static_cast<double>(loops));
}

RegionResult lose_one_region(const RegionSettings& settings) { return Regions(settings).run(); }

}  // namespace millrace::bench
