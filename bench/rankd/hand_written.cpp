#include "bench/rankd/hand_written.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>

#include "base/clock.h"
#include "base/format.h"
#include "base/formats/json_writer.h"

namespace millrace::bench {
namespace {

constexpr std::size_t kFanout = 100;
constexpr std::size_t kTake = 50;
constexpr double kWeight = 0.1;

}  // namespace

std::span<const std::int64_t> HandWritten::list(std::string_view prefix, std::int64_t id) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), id).ptr;
  key_.assign(prefix);
  key_.append(std::begin(digits), end);
  const stores::EmbeddedStore::Entry* const entry = store_.find_entry(key_);
  if (entry == nullptr || entry->kind != stores::EntryKind::kList || !entry->all_integers)
    return {};
  const auto items = store_.integers(*entry);
  return items.first(std::min(items.size(), kFanout));
}

void HandWritten::read_profile(std::int64_t user_id) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), user_id).ptr;
  key_.assign("user:");
  key_.append(std::begin(digits), end);
  profile_.clear();
  const stores::EmbeddedStore::Entry* const entry = store_.find_entry(key_);
  if (entry == nullptr) return;
  for (const stores::EmbeddedStore::Text& value : store_.values(*entry)) {
    profile_.push_back(store_.field_name(value.field));
    profile_.push_back(store_.text(value));
  }
}

void HandWritten::add_branch(std::string_view list_prefix,
                             std::int64_t user_id,
                             std::uint32_t source) {
  for (const std::int64_t author : list(list_prefix, user_id)) {
    for (const std::int64_t id : list("media:", author)) {
      candidates_.push_back({.score = static_cast<double>(id) * kWeight,
                             .id = id,
                             .position = static_cast<std::uint32_t>(candidates_.size()),
                             .source = source});
    }
  }
}

base::Result<std::string_view> HandWritten::answer(std::string_view text) {
  const base::TimePoint start = base::steady_clock().now();
  if (auto read = reader_.read(text, request_); !read)
    return base::fail(base::ErrorCode::kInvalidArgument, read.error().message);
  read_profile(request_.user_id);
  candidates_.clear();
  add_branch("follow:", request_.user_id, 0);
  add_branch("recommendation:", request_.user_id, 1);
  const auto is_better = [](const Candidate& left, const Candidate& right) {
    if (left.score != right.score) return left.score > right.score;
    if (left.id != right.id) return left.id < right.id;
    return left.position < right.position;
  };
  const std::size_t kept = std::min(kTake, candidates_.size());
  const auto middle = candidates_.begin() + static_cast<std::ptrdiff_t>(kept);
  std::nth_element(candidates_.begin(), middle, candidates_.end(), is_better);
  std::sort(candidates_.begin(), middle, is_better);
  candidates_.resize(kept);
  write_response(start);
  return response_;
}

void HandWritten::write_response(base::TimePoint start) {
  response_.clear();
  base::JsonWriter json(response_);
  json.begin_object();
  json.member("engine_request_id", base::format("e{}", next_id_++));
  json.key("plan");
  json.begin_object();
  json.member("name", plan_.name);
  if (!plan_.version.empty()) json.member("version", plan_.version);
  json.member("digest", plan_.digest);
  json.end_object();
  json.key("candidates");
  json.begin_array();
  for (const Candidate& candidate : candidates_) {
    json.begin_object();
    json.member("id", candidate.id);
    json.key("fields");
    json.begin_object();
    json.member("score", candidate.score);
    json.member("source", candidate.source == 0 ? "0" : "1");
    json.end_object();
    json.end_object();
  }
  json.end_array();
  const base::Duration took = base::steady_clock().now() - start;
  json.member("took_ms", std::chrono::duration<double, std::milli>(took).count());
  json.key("degraded");
  json.begin_object();
  json.member("is", false);
  json.key("reasons");
  json.begin_array();
  json.end_array();
  json.end_object();
  json.key("warnings");
  json.begin_array();
  json.end_array();
  json.end_object();
}

std::string without_own_facts(std::string_view response) {
  std::string text(response);
  for (const std::string_view name : {"\"engine_request_id\":", "\"took_ms\":"}) {
    const std::size_t begin = text.find(name);
    if (begin == std::string::npos) continue;
    const std::size_t end = text.find(',', begin);
    text.erase(begin, end - begin);
  }
  return text;
}

}  // namespace millrace::bench
