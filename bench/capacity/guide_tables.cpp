#include "bench/capacity/guide_tables.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "bench/capacity/fleet.h"
#include "bench/capacity/key_curve.h"
#include "bench/capacity/queue_theory.h"
#include "bench/capacity/sizing.h"

namespace millrace::bench {
namespace {

constexpr std::string_view kBegin = "<!-- made by ./dev capacity: begin -->\n";
constexpr std::string_view kEnd = "<!-- made by ./dev capacity: end -->\n";
constexpr double kDriftMax = 0.01;
constexpr double kTheoryMax = 0.02;

double to_ms(double seconds) { return seconds * 1e3; }

std::string cost_table(const RequestCost& cost) {
  return base::format(
      "| one request | |\n|---|---|\n"
      "| CPU of `rankd` | {:.1f} us |\n"
      "| reads that wait for each other | {} |\n"
      "| commands in each of them | {} |\n"
      "| time of a shard per batch | {:.2f} us |\n"
      "| and per command in it | {:.2f} us |\n"
      "| wire, one way | {:.0f} us |\n",
      cost.cpu_seconds * 1e6,
      cost.rounds,
      cost.keys_per_round,
      cost.batch_seconds * 1e6,
      cost.command_seconds * 1e6,
      cost.wire_seconds * 1e6);
}

std::string sizing_table(const RequestCost& cost) {
  std::string text =
      "| requests/s | served by caches | machines of 16 cores | shards | connections | busiest "
      "shard |\n"
      "|---|---|---|---|---|---|\n";
  const KeyCurve keys = zipf_curve(0.8, 1'000'000);
  for (const double rate : {1e4, 1e5, 1e6}) {
    for (const double cached : {0.0, 0.8}) {
      SizingQuestion question;
      question.requests_per_second = rate;
      question.served_from_cache = cached;
      const Sizing sizing = size_fleet(question, cost, keys);
      text += base::format("| {:.0f} | {:.0f} % | {} | {} | {} | {:.0f} % |\n",
                           rate,
                           cached * 100,
                           sizing.machines,
                           sizing.shards,
                           sizing.connections,
                           sizing.busiest_shard * 100);
    }
  }
  return text;
}

std::string fleet_table(const RequestCost& cost, std::uint64_t requests) {
  std::string text =
      "| processes | shards | requests/s | p50 | p99 | busiest shard | loops |\n"
      "|---|---|---|---|---|---|---|\n";
  const KeyCurve keys = zipf_curve(0.8, 1'000'000);
  for (const std::uint32_t shards : {8U, 32U, 128U}) {
    FleetSettings settings;
    settings.processes = 100;
    settings.shards = shards;
    settings.deadline_seconds = 1;
    const FleetResult result = simulate(settings, cost, keys, {.requests = requests});
    text += base::format("| {} | {} | {:.0f} | {:.2f} ms | {:.2f} ms | {:.0f} % | {:.0f} % |\n",
                         settings.processes,
                         shards,
                         result.requests_per_second,
                         to_ms(result.p50_seconds),
                         to_ms(result.p99_seconds),
                         result.busiest_shard * 100,
                         result.mean_process * 100);
  }
  return text;
}

std::string hot_key_table(const RequestCost& cost, std::uint64_t requests) {
  std::string text =
      "| keys | reads | requests/s | commands per request | busiest shard | mean shard | late |\n"
      "|---|---|---|---|---|---|---|\n";
  struct Way {
    std::string_view name;
    bool single_flight;
    double cache_seconds;
  };
  const Way ways[] = {{"each alone", false, 0},
                      {"single flight", true, 0},
                      {"single flight, `cache_ttl` 1 s", true, 1}};
  for (const KeyCurve& keys : {zipf_curve(1.1, 1'000'000), package_curve()}) {
    for (const Way& way : ways) {
      FleetSettings settings;
      settings.processes = 20;
      settings.shards = 32;
      settings.single_flight = way.single_flight;
      settings.cache_seconds = way.cache_seconds;
      const FleetLoad load{.requests_per_second = 150'000, .requests = requests};
      const FleetResult result = simulate(settings, cost, keys, load);
      text += base::format("| {} | {} | {:.0f} | {:.2f} | {:.0f} % | {:.0f} % | {} |\n",
                           keys.name(),
                           way.name,
                           result.requests_per_second,
                           result.commands_per_request,
                           result.busiest_shard * 100,
                           result.mean_shard * 100,
                           result.late);
    }
  }
  text +=
      "\n| reads/s of one key | `cache_ttl` | loops of all processes | caching pays below |\n"
      "|---|---|---|---|\n";
  for (const double reads : {1e3, 1e4, 1e5}) {
    text += base::format(
        "| {:.0f} | 1 s | 200 | {:.1f} writes/s |\n", reads, caching_pays_below(reads, 1, 200));
  }
  return text;
}

std::string region_table(std::uint64_t requests) {
  std::string text =
      "| use before the loss | load of the two that are left | answered in time | their capacity "
      "used "
      "for that | refused, too far |\n|---|---|---|---|---|\n";
  for (const double use : {0.4, 0.6, 1.0}) {
    const RegionResult result = lose_one_region({.use = use, .requests = requests});
    text += base::format("| {:.0f} % | {:.0f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n",
                         use * 100,
                         use * 150,
                         result.answered_part * 100,
                         result.capacity_part * 100,
                         result.refused_abroad * 100);
  }
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \n", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_alike(std::string_view left, std::string_view right) {
  if (left == right) return true;
  char* left_end = nullptr;
  char* right_end = nullptr;
  const std::string left_text(left);
  const std::string right_text(right);
  const double left_number = std::strtod(left_text.c_str(), &left_end);
  const double right_number = std::strtod(right_text.c_str(), &right_end);
  if (*left_end != '\0' || *right_end != '\0') return false;
  return std::abs(left_number - right_number) <= kDriftMax * std::abs(left_number);
}

/// Where the tables of a guide begin and end.
struct Marked {
  std::size_t begin;
  std::size_t end;
};

base::Result<Marked> find_marks(std::string_view guide) {
  const std::size_t begin = guide.find(kBegin);
  const std::size_t end = guide.find(kEnd);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      base::format("The guide lacks the lines '{}' and '{}'",
                                   kBegin.substr(0, kBegin.size() - 1),
                                   kEnd.substr(0, kEnd.size() - 1)));
  }
  return Marked{.begin = begin + kBegin.size(), .end = end};
}

}  // namespace

std::string guide_tables(const RequestCost& cost, std::uint64_t requests) {
  return "\n" + cost_table(cost) + "\n" + sizing_table(cost) + "\n" + fleet_table(cost, requests) +
         "\n" + hot_key_table(cost, requests) + "\n" + region_table(requests) + "\n";
}

base::Result<std::string> with_tables(std::string_view guide, std::string_view tables) {
  const auto marks = find_marks(guide);
  if (!marks) return std::unexpected(marks.error());
  return std::string(guide.substr(0, marks->begin)) + std::string(tables) +
         std::string(guide.substr(marks->end));
}

base::Status check_tables(std::string_view guide, std::string_view tables) {
  const auto marks = find_marks(guide);
  if (!marks) return std::unexpected(marks.error());
  const auto written = words_of(guide.substr(marks->begin, marks->end - marks->begin));
  const auto played = words_of(tables);
  for (std::size_t i = 0; i < written.size() && i < played.size(); ++i) {
    if (is_alike(written[i], played[i])) continue;
    return base::fail(base::ErrorCode::kInternal,
                      base::format("The guide says {} where the model gives {}; "
                                   "./dev capacity --write brings it up to date",
                                   written[i],
                                   played[i]));
  }
  if (written.size() == played.size()) return {};
  return base::fail(base::ErrorCode::kInternal,
                    "The tables of the guide have another shape; ./dev capacity --write");
}

TheoryCheck check_theory(std::uint64_t jobs) {
  TheoryCheck check;
  const auto add = [&check](std::string_view name, double use, double known, double played) {
    const double error = played / known - 1;
    check.is_good = check.is_good && std::abs(error) <= kTheoryMax;
    check.text += base::format("  {:<28} use {:.1f}  theory {:.5g}  model {:.5g}  {:+.2f} %\n",
                               name,
                               use,
                               known,
                               played,
                               error * 100);
  };
  for (const double use : {0.3, 0.6, 0.9}) {
    const QueueLoad one{.arrivals_per_second = use, .service_seconds = 1};
    QueueLoad constant = one;
    constant.is_constant = true;
    const QueueLoad four{.arrivals_per_second = use * 4, .service_seconds = 1, .servers = 4};
    add("M/M/1 response", use, mean_response(one), simulated_response(one, jobs, 1));
    add("M/D/1 response", use, mean_response(constant), simulated_response(constant, jobs, 2));
    add("M/M/4 response", use, mean_response(four), simulated_response(four, jobs, 3));
    const ClosedLoad closed{.customers = 8, .first_seconds = 1, .second_seconds = use};
    add("two stations, rounds/s",
        use,
        closed_throughput(closed),
        simulated_throughput(closed, jobs, 4));
  }
  return check;
}

}  // namespace millrace::bench
