#include "apps/rankd/request_command.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include <unistd.h>

#include "base/error.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "nats/client.h"
#include "nats/subject.h"
#include "rank/request.h"
#include "rank/unrun_answer.h"

namespace millrace::rankd {
namespace {

/// Answers that may wait for one before them, for each request that may be under way.
constexpr std::size_t kWaitingFactor = 16;

std::string_view failure_code(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::kNotFound:
      return "no_responders";
    case base::ErrorCode::kTimeout:
      return "timeout";
    case base::ErrorCode::kResourceExhausted:
      return "too_large";
    case base::ErrorCode::kCancelled:
      return "cancelled";
    default:
      return "unavailable";
  }
}

int fail_request(const std::string& message) {
  const std::string text = "rankd: " + base::printable(message) + "\n";
  std::fputs(text.c_str(), stderr);
  return 1;
}

}  // namespace

RequestPump::RequestPump(Ask ask, Terms terms, Output& out, StopFlag& stop)
    : ask_(std::move(ask)), terms_(std::move(terms)), out_(out), stop_(stop) {}

RequestPump::~RequestPump() {
  const base::MutexLock lock(mutex_);
  while (!slots_.empty()) changed_.wait(mutex_);
}

base::Result<bool> RequestPump::run(LineReader& in) {
  std::thread writer([this] { write_answers(); });
  base::Status status;
  std::string line;
  while (true) {
    {
      const base::MutexLock lock(mutex_);
      while (open_count_ >= terms_.concurrency ||
             slots_.size() >= kWaitingFactor * terms_.concurrency)
        changed_.wait(mutex_);
    }
    const auto got = in.next(line);
    if (!got) status = std::unexpected(got.error());
    if (!got || *got != LineReader::Got::kLine) break;
    if (!line.empty()) send(std::move(line));
    line.clear();
  }
  {
    const base::MutexLock lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  writer.join();
  if (!status) return std::unexpected(status.error());
  const base::MutexLock lock(mutex_);
  return is_all_good_;
}

void RequestPump::send(std::string line) {
  const auto slot = std::make_shared<Slot>();
  slot->request = line;
  {
    const base::MutexLock lock(mutex_);
    slots_.push_back(slot);
    ++open_count_;
  }
  // The slot is shared by the list and the callback; this outlives both.
  ask_({.subject = terms_.subject, .data = std::move(line), .headers = terms_.headers},
       terms_.timeout,
       [this, slot](base::Result<nats::Message> result) { finish(*slot, std::move(result)); });
}

void RequestPump::finish(Slot& slot, base::Result<nats::Message> result) {
  std::string answer =
      result ? std::move(result->data)
             : rank::make_unrun_answer(
                   slot.request, failure_code(result.error().code()), result.error().message());
  // One answer is one line, whoever has made it.
  std::ranges::replace(answer, '\n', ' ');
  const base::MutexLock lock(mutex_);
  slot.is_good = result && result->find_header("Rank-Status") == "200";
  slot.answer = std::move(answer);
  slot.is_done = true;
  --open_count_;
  changed_.notify_all();
}

void RequestPump::write_answers() {
  while (true) {
    std::shared_ptr<Slot> slot;
    {
      const base::MutexLock lock(mutex_);
      while (slots_.empty() ? !is_over_ : !slots_.front()->is_done) changed_.wait(mutex_);
      if (slots_.empty()) return;
      slot = slots_.front();
      is_all_good_ &= slot->is_good;
    }
    slot->answer += '\n';
    // Who reads the answers is gone: no more requests.
    if (!out_.write(slot->answer)) stop_.raise();
    const base::MutexLock lock(mutex_);
    slots_.pop_front();
    changed_.notify_all();
  }
}

int run_request(const NatsFlags& flags, std::optional<base::Duration> deadline, Output& out) {
  const std::string subject = flags.prefix + "." + flags.plan;
  if (!nats::is_subject(subject))
    return fail_request(base::format("No plan can be asked over NATS at '{}'", subject));
  const auto client = nats::Client::connect(
      link_settings(flags, [](const char* name) { return std::getenv(name); }));
  if (!client) return fail_request(client.error().message());
  RequestPump::Terms terms{.subject = subject,
                           .concurrency = static_cast<std::size_t>(flags.concurrency),
                           .timeout = std::chrono::duration_cast<base::Duration>(
                               std::chrono::duration<double, std::milli>(flags.timeout_ms))};
  if (deadline) {
    const std::chrono::duration<double, std::milli> span = *deadline;
    terms.headers.push_back({"X-Deadline-Ms", base::format("{}", span.count())});
  }
  StopFlag stop;
  const StopSignals signals(stop);
  LineReader in(STDIN_FILENO, "stdin", stop, rank::RequestLimits().json.text_bytes_max);
  nats::RequestBox& box = (*client)->box();
  RequestPump pump(
      [&box](nats::Message message, base::Duration limit, nats::RequestBox::Done done) {
        box.ask(std::move(message), limit, std::move(done));
      },
      std::move(terms),
      out,
      stop);
  const auto all_good = pump.run(in);
  if (!all_good) return fail_request(all_good.error().message());
  if (*all_good) return 0;
  // Such as inboxes that this user may not read: the lines only say that no answer came.
  const std::string problem = (*client)->last_problem();
  return problem.empty() ? 1 : fail_request("the NATS server has refused something: " + problem);
}

}  // namespace millrace::rankd
