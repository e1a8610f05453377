#include "server/readiness.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"

namespace millrace::server {
namespace {

constexpr std::string_view kNotTried = "not tried yet";

}  // namespace

void Readiness::expect(std::vector<std::string> endpoints, std::vector<std::string> plans) {
  const base::MutexLock lock(mutex_);
  is_expecting_ = true;
  for (std::string& name : endpoints)
    endpoints_.push_back({.name = std::move(name), .problem = std::string(kNotTried)});
  for (std::string& name : plans)
    plans_.push_back({.name = std::move(name), .problem = std::string(kNotTried)});
}

void Readiness::report_endpoint(std::string_view name, std::optional<std::string> problem) {
  const base::MutexLock lock(mutex_);
  report(endpoints_, name, std::move(problem));
}

void Readiness::report_plan(std::string_view name, std::optional<std::string> problem) {
  const base::MutexLock lock(mutex_);
  report(plans_, name, std::move(problem));
}

void Readiness::report(std::vector<Part>& parts,
                       std::string_view name,
                       std::optional<std::string> problem) {
  const auto part = std::ranges::find(parts, name, &Part::name);
  if (part != parts.end()) {
    if (!problem) part->was_good = true;
    part->problem = std::move(problem);
  }
  const auto is_good = [](const Part& other) { return other.was_good; };
  if (std::ranges::all_of(endpoints_, is_good) && std::ranges::all_of(plans_, is_good))
    is_started_.store(true, std::memory_order_relaxed);
}

void Readiness::set_plans(const std::vector<std::string>& names) {
  const base::MutexLock lock(mutex_);
  if (!is_expecting_) return;
  std::erase_if(
      plans_, [&](const Part& part) { return std::ranges::find(names, part.name) == names.end(); });
  for (const std::string& name : names) {
    if (std::ranges::find(plans_, name, &Part::name) == plans_.end())
      plans_.push_back({.name = name, .was_good = true, .problem = std::nullopt});
  }
}

void Readiness::set_stale(std::map<std::string, std::string> plans) {
  const base::MutexLock lock(mutex_);
  stale_ = std::move(plans);
  // A problem may have several lines; a part of the report has one.
  for (auto& [name, problem] : stale_) std::ranges::replace(problem, '\n', ' ');
}

void Readiness::set_transport(std::optional<std::string> problem, bool blocks) {
  const base::MutexLock lock(mutex_);
  is_blocked_.store(blocks, std::memory_order_relaxed);
  transport_ = Part{.name = "nats", .problem = std::move(problem)};
}

std::string Readiness::to_text() const {
  const base::MutexLock lock(mutex_);
  std::string text;
  const auto add = [&](std::string_view kind, const Part& part) {
    text += part.problem ? base::format("[-]{} {}: {}\n", kind, part.name, *part.problem)
                         : base::format("[+]{} {} ok\n", kind, part.name);
  };
  for (const Part& part : endpoints_) add("endpoint", part);
  for (const Part& part : plans_) add("plan", part);
  for (const auto& [name, problem] : stale_)
    text += base::format("[-]plan {}: stale: {}\n", name, problem);
  if (graph_ != nullptr) {
    const auto problem = graph_->problem();
    text += problem ? base::format("[-]graph {}: {}\n", graph_->name(), *problem)
                    : base::format("[+]graph {} ok\n", graph_->name());
  }
  if (transport_) add("transport", *transport_);
  if (is_draining()) text += "[-]drain: the server is about to end\n";
  return text;
}

LoopPulses::LoopPulses(std::size_t loop_count, base::TimePoint now)
    : loop_count_(loop_count), beats_(std::make_unique<Beat[]>(loop_count)) {
  for (std::size_t loop = 0; loop < loop_count; ++loop) beat(loop, now);
}

void LoopPulses::beat(std::size_t loop, base::TimePoint now) {
  beats_[loop].at.store(now.time_since_epoch().count(), std::memory_order_relaxed);
}

std::optional<std::size_t> LoopPulses::find_stuck(base::TimePoint now) const {
  for (std::size_t loop = 0; loop < loop_count_; ++loop) {
    const base::Duration at(beats_[loop].at.load(std::memory_order_relaxed));
    if (now.time_since_epoch() - at > kSilenceMax) return loop;
  }
  return std::nullopt;
}

}  // namespace millrace::server
