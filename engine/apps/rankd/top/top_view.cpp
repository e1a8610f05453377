#include "apps/rankd/top/top_view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"
#include "base/metrics/metric_descriptor.h"
#include "base/problems/message_text.h"

namespace millrace::rankd {
namespace {

constexpr std::size_t kNodesShown = 10;
constexpr double kMilliseconds = 1000;

std::string label(const base::JsonValue& series, std::string_view name) {
  const auto labels = series.find_member("labels");
  if (!labels) return {};
  const auto value = labels->find_member(name);
  return value ? std::string(value->find_string().value_or("")) : std::string();
}

double number(const base::JsonValue& series, std::string_view name) {
  const auto value = series.find_member(name);
  return value ? value->find_number().value_or(0) : 0;
}

TopHistogram histogram(const base::JsonValue& series) {
  TopHistogram read{.buckets = {}, .sum = number(series, "sum")};
  if (const auto buckets = series.find_member("buckets")) {
    for (const base::JsonValue bucket : buckets->children())
      read.buckets.push_back(bucket.find_unsigned().value_or(0));
  }
  return read;
}

void take(const base::JsonValue& series, TopSample& sample) {
  const auto named = series.find_member("name");
  const std::string_view name = named ? named->find_string().value_or("") : "";
  const double value = number(series, "value");
  if (name == "rankd_requests_total") {
    sample.outcomes[label(series, "plan")][label(series, "outcome")] = value;
  } else if (name == "rankd_request_duration_seconds") {
    sample.durations[label(series, "plan")] = histogram(series);
  } else if (name == "rankd_node_duration_seconds") {
    sample.nodes[{label(series, "plan"), label(series, "node")}] = histogram(series);
  } else if (name == "rankd_loop_busy_seconds_total") {
    sample.loop_busy[label(series, "loop")] = value;
  } else if (name == "rankd_http_connections") {
    sample.connections[label(series, "loop")] = value;
  } else if (name == "rankd_requests_received_total") {
    sample.received = value;
  } else if (name == "rankd_inflight") {
    sample.inflight += value;
  } else if (name == "rankd_plan_inflight") {
    sample.plan_inflight[label(series, "plan")] = value;
  } else if (name == "rankd_admission_limit") {
    sample.limit = value;
  } else if (name == "rankd_admission_waiting") {
    sample.waiting = value;
  } else if (name == "rankd_shed_total") {
    sample.shed += value;
  } else if (name == "process_cpu_seconds_total") {
    sample.cpu_seconds = value;
  }
}

/// What was observed since `before`; a server that was started anew has less than before.
TopHistogram since(const TopHistogram& after, const TopHistogram* before) {
  TopHistogram grown = after;
  if (before == nullptr || before->buckets.size() != after.buckets.size()) return grown;
  for (std::size_t bucket = 0; bucket < grown.buckets.size(); ++bucket) {
    if (before->buckets[bucket] > after.buckets[bucket]) return after;
    grown.buckets[bucket] -= before->buckets[bucket];
  }
  grown.sum -= before->sum;
  return grown;
}

template <class Map, class Key>
const typename Map::mapped_type* find(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

std::uint64_t count_of(const TopHistogram& histogram) {
  return std::accumulate(histogram.buckets.begin(), histogram.buckets.end(), std::uint64_t{0});
}

std::vector<TopView::Plan> compare_plans(const TopSample& before,
                                         const TopSample& after,
                                         double seconds) {
  std::vector<TopView::Plan> plans;
  for (const auto& [name, outcomes] : after.outcomes) {
    const auto* const old = find(before.outcomes, name);
    const auto* const inflight = find(after.plan_inflight, name);
    TopView::Plan plan{.name = name, .inflight = inflight != nullptr ? *inflight : 0};
    for (const auto& [outcome, count] : outcomes) {
      const auto* const last = old != nullptr ? find(*old, outcome) : nullptr;
      const double rate = std::max(count - (last != nullptr ? *last : 0), 0.0) / seconds;
      plan.rate += rate;
      if (outcome == "error" || outcome == "deadline" || outcome == "invalid") plan.errors += rate;
      if (outcome == "degraded") plan.degraded += rate;
      if (outcome == "refused") plan.shed += rate;
    }
    if (const auto* const durations = find(after.durations, name)) {
      const TopHistogram grown = since(*durations, find(before.durations, name));
      plan.p50_ms = quantile_ms(grown, 0.5);
      plan.p99_ms = quantile_ms(grown, 0.99);
    }
    plans.push_back(std::move(plan));
  }
  std::ranges::sort(plans, [](const TopView::Plan& left, const TopView::Plan& right) {
    return std::tie(right.rate, left.name) < std::tie(left.rate, right.name);
  });
  return plans;
}

std::vector<TopView::Node> compare_nodes(const TopSample& before, const TopSample& after) {
  std::vector<TopView::Node> nodes;
  double all = 0;
  for (const auto& [name, histogram] : after.nodes) {
    const TopHistogram grown = since(histogram, find(before.nodes, name));
    const std::uint64_t count = count_of(grown);
    if (count == 0) continue;
    all += grown.sum;
    nodes.push_back({.plan = name.first,
                     .node = name.second,
                     .mean_ms = grown.sum / static_cast<double>(count) * kMilliseconds,
                     .p99_ms = quantile_ms(grown, 0.99),
                     .share = grown.sum});
  }
  for (TopView::Node& node : nodes) node.share = all > 0 ? node.share / all : 0;
  std::ranges::sort(nodes, [](const TopView::Node& left, const TopView::Node& right) {
    return std::tie(right.share, left.plan, left.node) <
           std::tie(left.share, right.plan, right.node);
  });
  if (nodes.size() > kNodesShown) nodes.resize(kNodesShown);
  return nodes;
}

}  // namespace

base::Result<TopSample> read_top_sample(std::string_view json) {
  const auto document = base::read_json(json, {.text_bytes_max = json.size()});
  if (!document)
    return base::fail(base::ErrorCode::kInvalidArgument, "What it answers is not JSON");
  const auto metrics = document->root().find_member("metrics");
  if (!metrics || !document->root().find_member("lane"))
    return base::fail(base::ErrorCode::kInvalidArgument, "What it answers are not rankd's stats");
  TopSample sample;
  for (const base::JsonValue series : metrics->children()) take(series, sample);
  return sample;
}

double quantile_ms(const TopHistogram& histogram, double quantile) {
  const double wanted = quantile * static_cast<double>(count_of(histogram));
  if (wanted <= 0) return 0;
  double below = 0;
  double low = 0;
  for (std::size_t bucket = 0; bucket < histogram.buckets.size(); ++bucket) {
    if (bucket >= base::kDurationBuckets.size()) break;
    const double high = base::kDurationBuckets[bucket];
    const auto here = static_cast<double>(histogram.buckets[bucket]);
    if (below + here >= wanted && here > 0)
      return (low + (high - low) * (wanted - below) / here) * kMilliseconds;
    below += here;
    low = high;
  }
  return low * kMilliseconds;  // above the last bound
}

TopView compare(const TopSample& before, const TopSample& after, double seconds) {
  TopView view;
  view.rate = std::max(after.received - before.received, 0.0) / seconds;
  view.inflight = after.inflight;
  view.limit = after.limit;
  view.waiting = after.waiting;
  view.shed = std::max(after.shed - before.shed, 0.0) / seconds;
  view.cpu = std::max(after.cpu_seconds - before.cpu_seconds, 0.0) / seconds;
  view.plans = compare_plans(before, after, seconds);
  for (const auto& [name, busy] : after.loop_busy) {
    const auto* const last = find(before.loop_busy, name);
    const auto* const connections = find(after.connections, name);
    view.loops.push_back(
        {.name = name,
         .connections = connections != nullptr ? *connections : 0,
         .busy = std::clamp((busy - (last != nullptr ? *last : 0)) / seconds, 0.0, 1.0)});
  }
  view.nodes = compare_nodes(before, after);
  return view;
}

std::string to_text(const TopView& view, std::string_view address) {
  std::string out = base::format(
      "rankd at {}   {:.1f} requests/s   in flight {:.0f} of {:.0f}   waiting {:.0f}   "
      "shed {:.1f}/s   cpu {:.2f}\n\n",
      base::printable(std::string(address)),
      view.rate,
      view.inflight,
      view.limit,
      view.waiting,
      view.shed,
      view.cpu);
  out += base::format("{:<28} {:>10} {:>9} {:>9} {:>9} {:>9} {:>11} {:>8}\n",
                      "PLAN",
                      "ANSWERS/S",
                      "IN FLIGHT",
                      "P50 ms",
                      "P99 ms",
                      "ERRORS/S",
                      "DEGRADED/S",
                      "SHED/S");
  for (const TopView::Plan& plan : view.plans) {
    out += base::format("{:<28} {:>10.1f} {:>9.0f} {:>9.2f} {:>9.2f} {:>9.1f} {:>11.1f} {:>8.1f}\n",
                        base::printable(plan.name),
                        plan.rate,
                        plan.inflight,
                        plan.p50_ms,
                        plan.p99_ms,
                        plan.errors,
                        plan.degraded,
                        plan.shed);
  }
  out += base::format("\n{:<6} {:>12} {:>7}\n", "LOOP", "CONNECTIONS", "BUSY");
  for (const TopView::Loop& loop : view.loops)
    out +=
        base::format("{:<6} {:>12.0f} {:>5.0f} %\n", loop.name, loop.connections, loop.busy * 100);
  if (view.nodes.empty()) return out;
  out += base::format(
      "\n{:<48} {:>9} {:>9} {:>7}\n", "NODE (of one request in 32)", "MEAN ms", "P99 ms", "SHARE");
  for (const TopView::Node& node : view.nodes) {
    out += base::format("{:<48} {:>9.3f} {:>9.3f} {:>5.0f} %\n",
                        base::printable(node.plan + " / " + node.node),
                        node.mean_ms,
                        node.p99_ms,
                        node.share * 100);
  }
  return out;
}

std::string to_json(const TopView& view) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("requests_per_second", view.rate);
  json.member("in_flight", view.inflight);
  json.member("limit", view.limit);
  json.member("waiting", view.waiting);
  json.member("shed_per_second", view.shed);
  json.member("cpu", view.cpu);
  json.key("plans");
  json.begin_array();
  for (const TopView::Plan& plan : view.plans) {
    json.begin_object();
    json.member("plan", plan.name);
    json.member("answers_per_second", plan.rate);
    json.member("in_flight", plan.inflight);
    json.member("p50_ms", plan.p50_ms);
    json.member("p99_ms", plan.p99_ms);
    json.member("errors_per_second", plan.errors);
    json.member("degraded_per_second", plan.degraded);
    json.member("shed_per_second", plan.shed);
    json.end_object();
  }
  json.end_array();
  json.key("loops");
  json.begin_array();
  for (const TopView::Loop& loop : view.loops) {
    json.begin_object();
    json.member("loop", loop.name);
    json.member("connections", loop.connections);
    json.member("busy", loop.busy);
    json.end_object();
  }
  json.end_array();
  json.key("nodes");
  json.begin_array();
  for (const TopView::Node& node : view.nodes) {
    json.begin_object();
    json.member("plan", node.plan);
    json.member("node", node.node);
    json.member("mean_ms", node.mean_ms);
    json.member("p99_ms", node.p99_ms);
    json.member("share", node.share);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out + "\n";
}

}  // namespace millrace::rankd
