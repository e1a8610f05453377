#include "known_answers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <stdexcept>

#include "base/format.h"
#include "host/waiting_call.h"
#include "rank/request.h"

namespace millrace::live {
namespace {

// A user has exactly as many media as the plans take.
constexpr int kItemsPerList = 5;
constexpr int kMediaPerItem = 5;
constexpr std::int64_t kFirstUser = 1000;
constexpr std::int64_t kItemsPerUser = 100;
constexpr std::int64_t kMediaRange = 1000;
constexpr std::string_view kIdStart = R"({"id":)";

std::string list(std::string_view key, std::int64_t owner, std::int64_t first, int count) {
  std::string line = base::format("RPUSH {}:{}", key, owner);
  for (int i = 0; i < count; ++i) line += base::format(" {}", first + i);
  return line + "\n";
}

/// The JSON array of a response; empty if there is none.
std::string_view array_of(std::string_view response) {
  constexpr std::string_view kBegin = R"("candidates":)";
  const std::size_t begin = response.find(kBegin);
  const std::size_t end = response.find(R"(,"took_ms":)");
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  return response.substr(begin + kBegin.size(), end - begin - kBegin.size());
}

std::int64_t item_of(std::string_view candidate) {
  std::int64_t id = 0;
  std::from_chars(candidate.data() + kIdStart.size(), candidate.data() + candidate.size(), id);
  return id / kMediaRange;
}

/// The objects of an array, without commas.
std::vector<std::string_view> split(std::string_view array) {
  std::vector<std::string_view> parts;
  for (std::size_t at = array.find(kIdStart); at != std::string_view::npos;) {
    const std::size_t next = array.find(kIdStart, at + 1);
    // Ends before the comma or the bracket that follows it.
    parts.push_back(array.substr(at, std::min(next, array.size()) - at - 1));
    at = next;
  }
  return parts;
}

bool is_explained(std::string_view response) {
  constexpr std::array<std::string_view, 4> kCodes{
      "deadline_exceeded", "endpoint_unavailable", "node_timeout", "limit_reached"};
  return std::ranges::any_of(kCodes, [&](std::string_view code) {
    return response.find(base::format(R"("error":{{"code":"{}")", code)) != std::string_view::npos;
  });
}

}  // namespace

std::string known_data(int users) {
  std::string text;
  for (std::int64_t user = kFirstUser; user < kFirstUser + users; ++user) {
    const std::int64_t followed = user * kItemsPerUser;
    const std::int64_t recommended = followed + kItemsPerUser / 2;
    text +=
        base::format("HSET user:{} name User{} country JP age {}\n", user, user, 20 + user % 50);
    text += list("follow", user, followed, kItemsPerList);
    text += list("recommendation", user, recommended, kItemsPerList);
    for (const std::int64_t first : {followed, recommended}) {
      for (std::int64_t item = first; item < first + kItemsPerList; ++item) {
        text += list("media", item, item * kMediaRange, kMediaPerItem);
      }
    }
  }
  return text;
}

std::string KnownAnswers::request(const std::string& plan, int user, double deadline_ms) {
  return base::format(R"({{"user_id": {}, "plan": "{}", "deadline_ms": {}}})",
                      kFirstUser + user,
                      plan,
                      deadline_ms);
}

KnownAnswers::KnownAnswers(host::Engine& embedded, const std::string& plan, int users) {
  constexpr double kPatience = 60'000;
  for (int user = 0; user < users; ++user) {
    rank::RequestReader reader;
    host::WaitingCall call;
    call.run(embedded.ranker(0), reader, request(plan, user, kPatience));
    Answer& answer = answers_.emplace_back();
    answer.text = array_of(call.response());
    for (const std::string_view part : split(answer.text)) {
      answer.candidates.push_back({.item = item_of(part), .text = std::string(part)});
    }
    if (answer.candidates.size() != std::size_t{2} * kItemsPerList * kMediaPerItem) {
      throw std::runtime_error("Embedded data do not give every candidate: " + call.response());
    }
  }
}

Verdict KnownAnswers::judge(int user, bool ok, std::string_view response) const {
  if (!ok) return is_explained(response) ? Verdict::kError : Verdict::kWrong;
  const bool is_degraded = response.find(R"("degraded":{"is":true)") != std::string_view::npos;
  const Answer& answer = answers_[static_cast<std::size_t>(user)];
  const std::string_view array = array_of(response);
  if (array == answer.text) return is_degraded ? Verdict::kDegraded : Verdict::kFull;
  std::set<std::int64_t> items;
  for (const std::string_view part : split(array)) items.insert(item_of(part));
  std::string expected = "[";
  for (const Candidate& candidate : answer.candidates) {
    if (!items.contains(candidate.item)) continue;
    expected += expected.size() == 1 ? "" : ",";
    expected += candidate.text;
  }
  if (array != expected + "]") return Verdict::kWrong;
  return is_degraded ? Verdict::kDegraded : Verdict::kPartial;
}

}  // namespace millrace::live
