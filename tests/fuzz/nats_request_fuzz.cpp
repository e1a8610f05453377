// Any message that NATS may deliver, whatever its subject, headers and body, gets exactly one reply
// whose headers can be sent, and subjects are taken apart as they were put together. The input is
// the subject, a header in each further line as `name:value`, an empty line, and the body.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/formats/json_reader.h"
#include "base/log/log_sink.h"
#include "jobs/job_names.h"
#include "nats/jetstream.h"
#include "nats/message.h"
#include "nats/subject.h"
#include "server/front_fixture.h"
#include "server/nats/nats_exchange.h"
#include "server/nats/service_info.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace): this file is the program

/// Cuts the text before the first separator off; the whole text if there is none.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return first;
}

nats::Message message_of(std::string_view input) {
  nats::Message message{.subject = std::string(take(input, '\n')), .reply = "inbox"};
  while (!input.empty()) {
    std::string_view line = take(input, '\n');
    if (line.empty()) break;
    const std::string_view name = take(line, ':');
    message.headers.push_back({.name = std::string(name), .value = std::string(line)});
  }
  message.data = input;
  return message;
}

struct CheckedReplies final : server::NatsOutbox {
  void on_taken() override {}
  void send(server::NatsReply reply) override {
    ++count;
    MR_CHECK(reply.message.subject == "inbox", reply.message.subject);
    MR_CHECK(reply.message.find_header("Rank-Status") == std::to_string(reply.status));
    MR_CHECK(base::read_json(reply.message.data).has_value(), reply.message.data);
    for (const nats::Header& header : reply.message.headers) {
      MR_CHECK(!header.name.empty());
      for (const std::string_view text : {header.name, header.value}) {
        for (const char byte : text) MR_CHECK(byte >= ' ' && byte != 127, text);
      }
    }
  }
  std::size_t reply_bytes_max() const override { return 4096; }
  std::size_t count = 0;
};

/// Keeps nothing: what is kept would look lost after each input.
struct CheckedLog final : base::LogSink {
  void write(const base::LogRecord& record) override {
    const std::string line = base::to_json(record);
    MR_CHECK(base::read_json(line).has_value(), line);
  }
};

/// A process with one plan, `p`. Its end checks that no request is left in it.
struct Process {
  Process() { rig.rank.load(server::testing::small_plan()); }
  void answer(nats::Message message, std::string plan) {
    const std::size_t before = replies.count;
    auto exchange = std::make_unique<server::NatsExchange>(
        rig.front(), replies, std::move(message), std::move(plan), rig.rank.clock.now());
    // It owns itself from here on.
    exchange.release()->post_to(rig.rank.loop);
    while (replies.count == before) MR_CHECK(rig.rank.step(), "nothing answers this");
    // Each input finds a process in which nothing is under way.
    rig.rank.drain();
    rig.rank.events.clear();
    MR_CHECK(replies.count == before + 1);
    MR_CHECK(rig.front().open_count() == 0);
    MR_CHECK(rig.admission->stats().run_count == 0);
  }
  CheckedLog log;
  server::testing::FrontRig rig{{}, {}, &log};
  CheckedReplies replies;
};

/// The process for the next input. Making one takes far longer than an answer, so that it serves
/// many; a new one now and then, because what builds up in it must not decide what is found.
Process& next_process() {
  constexpr int kInputsEach = 256;
  static std::unique_ptr<Process> process;
  static int served_count = 0;
  if (process == nullptr || ++served_count % kInputsEach == 0) {
    process.reset();
    process = std::make_unique<Process>();
  }
  return *process;
}

void check_subject(const std::string& subject) {
  if (nats::is_subject(subject)) {
    MR_CHECK(!subject.contains(' '));
    MR_CHECK(nats::is_subject("rank." + subject));
    MR_CHECK(!nats::is_subject(subject + "."));
  }
  (void)nats::delivery_number(subject);
  const jobs::JobNames names("j");
  for (const std::string& prefix : {names.queue_prefix(), names.result_prefix()}) {
    const auto line = jobs::JobNames::line_of(subject, prefix);
    if (line) MR_CHECK(prefix + std::to_string(*line) == subject, subject);
  }
  if (const auto job = jobs::JobNames::job_of_queue(subject)) {
    MR_CHECK(jobs::is_job_name(*job), *job);
    MR_CHECK(jobs::JobNames(*job).queue_stream() == subject, subject);
  }
  const std::string service = server::service_answer(
      subject, {.id = "i", .version = "1", .group = "g", .started = "", .endpoints = {}});
  if (!service.empty()) MR_CHECK(base::read_json(service).has_value(), service);
}

}  // namespace

/// Free blocks of the pool hang together by pointers in memory that is poisoned until they are used
/// again; with this they are no leaks.
extern "C" const char* __lsan_default_options() { return "use_poisoned=1"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Process& process = next_process();
  nats::Message message = message_of({reinterpret_cast<const char*>(data), size});
  check_subject(message.subject);
  (void)nats::read_store_answer(message);
  (void)nats::read_found(message);
  nats::Message refused = message;
  process.answer(std::move(message), "p");
  process.replies.send(server::make_nats_problem(
      refused, "p", {.code = "busy", .detail = "Too many requests are under way"}));
  return 0;
}
