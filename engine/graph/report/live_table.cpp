#include "graph/report/live_table.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "graph/payload.h"
#include "graph/report/count_text.h"
#include "trace/trace_text.h"

namespace millrace::graph {
namespace {

constexpr std::size_t kIdColumns = 24;

std::string member_text(const Payload& object, std::string_view name) {
  const Payload* member = object.find_member(name);
  if (member == nullptr) return {};
  return std::string(member->find_text().value_or(""));
}

double member_number(const Payload& object, std::string_view name) {
  const Payload* member = object.find_member(name);
  return member == nullptr ? 0 : member->find_number().value_or(0);
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// Places in the order in which the metrics name them first.
class PlaceList {
 public:
  explicit PlaceList(std::vector<LiveSample::Place>& places) : places_(places) {}
  void add(const std::string& id, std::string_view metric, double value) {
    const auto [found, is_new] = index_.try_emplace(id, places_.size());
    if (is_new) places_.push_back({.id = id});
    places_[found->second].values.insert_or_assign(std::string(last_part(metric)), value);
  }

 private:
  std::vector<LiveSample::Place>& places_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

void read_metrics(const Payload& status, LiveSample& sample) {
  PlaceList lanes(sample.lanes);
  PlaceList components(sample.components);
  PlaceList edges(sample.edges);
  const Payload* metrics = status.find_member("runtime_metrics");
  if (metrics == nullptr) return;
  for (const Payload& metric : metrics->items()) {
    const std::string name = member_text(metric, "name");
    const double value = member_number(metric, "value");
    const std::string lane = member_text(metric, "lane");
    const std::string component = member_text(metric, "component_id");
    const std::string channel = member_text(metric, "channel_id");
    if (name.starts_with("runtime.scheduler.")) {
      lanes.add(lane, name, value);
    } else if (name.starts_with("runtime.component.")) {
      components.add(component, name, value);
    } else if (name.starts_with("runtime.channel.")) {
      edges.add(channel, name, value);
    }
  }
}

void read_lines(const Payload& status, LiveSample& sample) {
  if (const Payload* events = status.find_member("health_events")) {
    for (const Payload& event : events->items()) {
      const std::string place = member_text(event, "lane") + member_text(event, "component_id") +
                                member_text(event, "channel_id");
      sample.health.push_back(base::format(
          "{}{}{}: {}",
          member_text(event, "kind"),
          place.empty() ? "" : " at ",
          place,
          count_text(static_cast<std::uint64_t>(member_number(event, "count")), "time")));
    }
  }
  if (const Payload* errors = status.find_member("errors")) {
    for (const Payload& error : errors->items()) {
      const std::string component = member_text(error, "component");
      sample.errors.push_back(base::format("{}{}{}: {}",
                                           member_text(error, "code"),
                                           component.empty() ? "" : " of ",
                                           component,
                                           member_text(error, "message")));
    }
  }
}

/// One column of a table of places.
struct Column {
  std::string_view title;
  std::string_view metric;        ///< empty: the rate of the column before
  std::string_view further = {};  ///< added to it
  double scale = 1;
};

constexpr Column kLaneColumns[] = {{"runs", "completed_count"},
                                   {"/s", ""},
                                   {"overruns", "tick_overrun_count"},
                                   {"skipped", "skipped_tick_count"},
                                   {"rejected", "rejected_count"},
                                   {"late ms", "max_lateness_ms"},
                                   {"epoch ms", "last_callback_duration_ms"}};
constexpr Column kComponentColumns[] = {{"runs", "execution_count"},
                                        {"/s", ""},
                                        {"errors", "error_count"},
                                        {"restarts", "restart_count"},
                                        {"over", "budget_overrun_count"},
                                        {"last us", "last_duration_ns", {}, 1e-3},
                                        {"max us", "max_duration_ns", {}, 1e-3}};
constexpr Column kEdgeColumns[] = {{"messages", "publish_count"},
                                   {"/s", ""},
                                   {"depth", "max_depth"},
                                   {"dropped", "drop_count", "overwrite_count"},
                                   {"refused", "reject_count"},
                                   {"stale", "stale_drop_count"},
                                   {"late", "deadline_miss_count"}};

/// A count or a measure in at most ten characters.
std::string number_text(double value) {
  const bool is_whole = value == static_cast<double>(static_cast<long long>(value));
  if (is_whole && value < 1e9) return base::format("{}", static_cast<long long>(value));
  return value < 1e6 ? base::format("{:.1f}", value) : base::format("{:.3g}", value);
}

class TableText {
 public:
  TableText(const LiveSample& now, const LiveSample* before, std::size_t rows_max)
      : now_(now),
        before_(before),
        seconds_((now.time_ms - (before == nullptr ? 0 : before->time_ms)) / 1000),
        rows_max_(rows_max) {}

  [[nodiscard]] double rate(double value, double value_before) const {
    return seconds_ <= 0 ? 0 : std::max(0.0, value - value_before) / seconds_;
  }

  void add_heading() {
    const double before = before_ == nullptr ? 0 : before_->invocations;
    line(base::format("{}: {} for {:.1f} s, {} invocations, {:.1f}/s",
                      trace::cut_columns(now_.graph, kIdColumns),
                      now_.status,
                      now_.time_ms / 1000,
                      number_text(now_.invocations),
                      rate(now_.invocations, before)));
  }

  void add_domains() {
    line(title("domain") + base::format("{:>11}{:>11}", "epochs", "/s"));
    for (std::size_t i = 0; i < now_.domains.size(); ++i) {
      const bool has_before = before_ != nullptr && i < before_->domains.size();
      const double before = has_before ? before_->domains[i].count : 0;
      const double count = now_.domains[i].count;
      line(trace::fit_columns(now_.domains[i].domain, kIdColumns) +
           base::format("{:>11}{:>11.1f}", number_text(count), rate(count, before)));
    }
  }

  template <std::size_t kCount>
  void add_places(std::string_view name,
                  const Column (&columns)[kCount],
                  const std::vector<LiveSample::Place>& places,
                  const std::vector<LiveSample::Place>* before) {
    if (places.empty()) return;
    std::string head = title(name);
    for (const Column& column : columns) head += base::format("{:>11}", column.title);
    line(std::move(head));
    for (std::size_t i = 0; i < places.size(); ++i) {
      const LiveSample::Place* earlier =
          before != nullptr && i < before->size() ? &(*before)[i] : nullptr;
      line(row(columns, places[i], earlier));
    }
  }

  void add_lines(std::string_view name, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    line(std::string(name));
    for (const std::string& text : lines) line("  " + trace::cut_columns(text, 96));
  }

  [[nodiscard]] std::string text() const {
    // What is wrong stands first: where there is no room for all, the tables give way.
    const std::size_t shown = rows_max_ == 0 || lines_.size() <= rows_max_
                                  ? lines_.size()
                                  : std::max<std::size_t>(rows_max_, 2) - 1;
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) text += lines_[i] + "\n";
    if (shown < lines_.size())
      text += base::format("… {} more\n", count_text(lines_.size() - shown, "line"));
    return text;
  }

 private:
  static std::string title(std::string_view name) { return trace::fit_columns(name, kIdColumns); }

  template <std::size_t kCount>
  [[nodiscard]] std::string row(const Column (&columns)[kCount],
                                const LiveSample::Place& place,
                                const LiveSample::Place* before) const {
    std::string text = trace::fit_columns(place.id, kIdColumns);
    double last = 0;
    double last_before = 0;
    for (const Column& column : columns) {
      if (column.metric.empty()) {
        text += base::format("{:>11.1f}", rate(last, last_before));
        continue;
      }
      last = place.value(column.metric) + place.value(column.further);
      last_before = before == nullptr ? 0 : before->value(column.metric);
      text += base::format("{:>11}", number_text(last * column.scale));
    }
    return text;
  }

  void line(std::string text) { lines_.push_back(std::move(text)); }

  const LiveSample& now_;
  const LiveSample* before_;
  const double seconds_;
  const std::size_t rows_max_;
  std::vector<std::string> lines_;
};

}  // namespace

double LiveSample::Place::value(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

base::Result<LiveSample> read_live_sample(std::string_view status_json) {
  MR_TRY(const Payload status, Payload::parse(status_json));
  const Payload* epochs = status.find_member("epochs");
  LiveSample sample{.graph = member_text(status, "graph"),
                    .status = member_text(status, "status"),
                    .time_ms = member_number(status, "time_ms"),
                    .invocations = member_number(status, "invocations")};
  if (epochs == nullptr || sample.graph.empty() || sample.status.empty()) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "This is not what a running graph says of itself");
  }
  for (const PayloadMember& member : epochs->members()) {
    sample.domains.push_back(
        {.domain = member.name, .count = member.value.find_number().value_or(0)});
  }
  read_metrics(status, sample);
  read_lines(status, sample);
  return sample;
}

std::string live_table(const LiveSample& now,
                       const LiveSample* before,
                       const LiveTableOptions& options) {
  TableText table(now, before, options.rows_max);
  table.add_heading();
  table.add_lines("errors", now.errors);
  table.add_lines("health", now.health);
  table.add_domains();
  table.add_places("lane", kLaneColumns, now.lanes, before == nullptr ? nullptr : &before->lanes);
  table.add_places("component",
                   kComponentColumns,
                   now.components,
                   before == nullptr ? nullptr : &before->components);
  table.add_places("edge", kEdgeColumns, now.edges, before == nullptr ? nullptr : &before->edges);
  return table.text();
}

}  // namespace millrace::graph
