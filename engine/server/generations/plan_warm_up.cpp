#include "server/generations/plan_warm_up.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <utility>

#include "base/format.h"
#include "host/project.h"
#include "host/waiting_call.h"
#include "rank/call_rights.h"
#include "rank/ranker.h"

namespace millrace::server {
namespace {

constexpr std::string_view kDefaultRequest = R"({"user_id":1})";

class WarmUpRights final : public rank::CallRights {
 public:
  [[nodiscard]] bool may_use(std::string_view /*plan*/) const override { return true; }
  [[nodiscard]] runtime::Priority priority_max() const override {
    return runtime::Priority::kBackground;
  }
};
constexpr WarmUpRights kWarmUpRights;

}  // namespace

std::vector<std::string> warm_up_lines(std::string_view file_text) {
  std::vector<std::string> requests;
  while (!file_text.empty() && requests.size() < kWarmUpRuns) {
    const std::size_t end = std::min(file_text.find('\n'), file_text.size());
    const std::string_view line = file_text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) requests.emplace_back(line);
    file_text.remove_prefix(std::min(end + 1, file_text.size()));
  }
  return requests;
}

std::vector<std::string> warm_up_requests(const std::string& plan_dir,
                                          std::string_view plan,
                                          std::vector<std::string> recalled) {
  const std::string path = base::format("{}/{}.warmup.jsonl", plan_dir, plan);
  std::error_code ignored;
  std::vector<std::string> requests;
  if (!plan_dir.empty() && std::filesystem::exists(path, ignored))
    requests = warm_up_lines(host::read_text_file(path).value_or(std::string()));
  if (requests.empty()) requests = std::move(recalled);
  if (requests.empty()) requests.emplace_back(kDefaultRequest);
  return requests;
}

rank::CallTerms warm_up_terms(std::string_view plan) {
  return {.plan = plan,
          .deadline = base::steady_clock().now() + kWarmUpDeadline,
          .rights = &kWarmUpRights};
}

std::optional<std::string> warm_up(host::EndpointClients& clients,
                                   rank::PlanSet& plans,
                                   std::string_view plan,
                                   const std::vector<std::string>& requests,
                                   const std::function<bool()>& is_over) {
  std::deque<rank::Ranker> rankers;
  for (std::size_t loop = 0; loop < clients.loop_count(); ++loop)
    rankers.emplace_back(plans, clients.own_services(loop));
  rank::RequestReader reader;
  std::string problem = "none could be run";
  bool has_answer = false;
  for (std::size_t run = 0; run < kWarmUpRuns && !is_over(); ++run) {
    host::WaitingCall call;
    call.run(rankers[run % rankers.size()],
             reader,
             requests[run % requests.size()],
             warm_up_terms(plan));
    has_answer |= call.ok();
    if (!call.ok()) problem = call.error_message();
  }
  if (has_answer) return std::nullopt;
  return base::format("no request of its warm-up was answered: {}", problem);
}

}  // namespace millrace::server
