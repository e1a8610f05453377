#include "observe/otlp_exporter.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/formats/json_reader.h"

namespace millrace::observe {
namespace {

constexpr std::size_t kReplyBytesMax = std::size_t{64} << 10U;

bool is_worth_another_try(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

/// The seconds of a `Retry-After`; dates are not worth reading here.
std::optional<base::Duration> find_retry_after(const net::HttpFields& fields) {
  const std::string_view text = fields.find("Retry-After").value_or("");
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

/// How many spans a collector that took a batch says it refused.
std::size_t rejected_spans(std::string_view body) {
  const auto document = base::read_json(body, {.text_bytes_max = kReplyBytesMax});
  if (!document) return 0;
  const auto partial = document->root().find_member("partialSuccess");
  if (!partial) return 0;
  const auto rejected = partial->find_member("rejectedSpans");
  if (!rejected) return 0;
  if (const auto number = rejected->find_unsigned()) return *number;
  const std::string_view text = rejected->find_string().value_or("");
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

OtlpExporter::Wake::Wake(OtlpExporter& exporter)
    : Job([](Job& job) { static_cast<Wake&>(job).owner.on_wake(); }), owner(exporter) {}

OtlpExporter::OtlpExporter(loop::Loop& loop,
                           net::Connector& connector,
                           base::Random& random,
                           OtlpOptions options)
    : loop_(loop),
      options_(std::move(options)),
      client_(loop, connector, random, options_.client),
      batch_timer_(loop, *this),
      retry_timer_(loop, *this),
      wake_(*this) {}

OtlpExporter::~OtlpExporter() { cancel(); }

void OtlpExporter::offer(FinishedRequest request) {
  const std::size_t count = span_count_of(request);
  base::MutexLock lock(mutex_);
  if (queued_spans_ + count > options_.queue_spans) {
    dropped_ += count;
    return;
  }
  queue_.push_back({.request = std::move(request), .span_count = count});
  const bool was_full = queued_spans_ >= options_.batch_spans;
  queued_spans_ += count;
  // The loop has to know of the first span, and of the one that makes a batch.
  if (queue_.size() == 1 || (!was_full && queued_spans_ >= options_.batch_spans)) post_wake();
}

void OtlpExporter::flush(std::function<void()> done) {
  base::MutexLock lock(mutex_);
  flushes_.push_back(std::move(done));
  post_wake();
}

std::uint64_t OtlpExporter::dropped_count() const {
  base::MutexLock lock(mutex_);
  return dropped_;
}

void OtlpExporter::post_wake() {
  if (!std::exchange(is_wake_posted_, true)) loop_.post(wake_);
}

void OtlpExporter::on_wake() {
  {
    base::MutexLock lock(mutex_);
    is_wake_posted_ = false;
  }
  move_on();
}

void OtlpExporter::move_on() {
  if (body_spans_ != 0) return;
  std::vector<std::function<void()>> done;
  bool sends = false;
  {
    base::MutexLock lock(mutex_);
    sends = queued_spans_ >= options_.batch_spans ||
            (!queue_.empty() && (is_due_ || !flushes_.empty()));
    if (queue_.empty()) {
      done = std::exchange(flushes_, {});
    } else if (!sends && !std::exchange(is_timed_, true)) {
      batch_timer_.start(options_.batch_time);
    }
  }
  for (const auto& call : done) call();
  if (sends) take_batch();
}

void OtlpExporter::on_timer() {
  is_timed_ = false;
  is_due_ = true;
  move_on();
}

void OtlpExporter::take_batch() {
  std::vector<Waiting> taken;
  {
    base::MutexLock lock(mutex_);
    std::size_t count = 0;
    while (!queue_.empty() && count < options_.batch_spans) {
      count += queue_.front().span_count;
      queued_spans_ -= queue_.front().span_count;
      taken.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
  }
  is_due_ = false;
  is_timed_ = false;
  batch_timer_.stop();
  std::vector<Span> spans;
  for (const Waiting& waiting : taken) append_spans(waiting.request, spans);
  body_ = otlp_json(spans, options_.resource);
  body_spans_ = spans.size();
  attempts_ = 0;
  send_body();
}

void OtlpExporter::send_body() {
  ++attempts_;
  net::HttpRequest request{
      .method = "POST", .target = options_.target, .body = body_, .fields = options_.fields};
  const base::Status sent =
      client_.send(*this, std::move(request), {.body_bytes_max = kReplyBytesMax});
  if (!sent) retry(options_.retry_pause);
}

void OtlpExporter::on_done(base::Result<net::HttpReply> reply) {
  if (!reply) return retry(options_.retry_pause);
  if (reply->status >= 200 && reply->status < 300)
    return end_batch(std::min(rejected_spans(reply->body), body_spans_));
  if (!is_worth_another_try(reply->status)) return end_batch(body_spans_);
  retry(find_retry_after(reply->fields).value_or(options_.retry_pause));
}

void OtlpExporter::retry(base::Duration pause) {
  if (attempts_ >= options_.attempts_max) return end_batch(body_spans_);
  const std::uint32_t doublings = std::min(attempts_ - 1, 16U);
  retry_timer_.start(std::min(pause * (1U << doublings), options_.retry_pause_max));
}

void OtlpExporter::end_batch(std::size_t failed) {
  sent_.add(body_spans_ - failed);
  failed_.add(failed);
  body_.clear();
  body_spans_ = 0;
  move_on();
}

}  // namespace millrace::observe
