#include "jobs/job_worker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "jobs/retry_rule.h"
#include "rank/request.h"
#include "rank/unrun_answer.h"

namespace millrace::jobs {
namespace {

std::int64_t nanoseconds(base::Duration span) { return span.count(); }

}  // namespace

/// What the lines of one loop share. Answers of one turn of the loop go to the clerk together.
/// Threading: the loop's, but for `door` and `on_answered`.
struct JobWorker::Lane final : private loop::Job {
  Lane(JobWorker& to, const Door& of)
      : Job([](Job& job) { static_cast<Lane&>(job).tell(); }),
        worker(to),
        door(of),
        reader({.priority = runtime::Priority::kBackground}) {}

  void on_answered(Line& line) {
    Event event{.kind = EventKind::kAnswered, .line = &line};
    // A worker of the pool may have the answer.
    if (!door.loop->is_current()) {
      std::vector<Event> one;
      one.push_back(std::move(event));
      return worker.tell(std::move(one));
    }
    answered.push_back(std::move(event));
    if (answered.size() == 1) door.loop->post(*this);
  }

  JobWorker& worker;
  const Door door;
  rank::RequestReader reader;

 private:
  void tell() { worker.tell(std::exchange(answered, {})); }

  std::vector<Event> answered;
};

/// One line, from its delivery to its acknowledgement.
/// Threading: the clerk's, but while it runs.
class JobWorker::Line final : public rank::RankCall, private loop::Job {
 public:
  Line(JobWorker& worker, Lane& lane, nats::Message from, std::uint64_t of_number)
      : Job([](Job& job) { static_cast<Line&>(job).start(); }),
        number(of_number),
        message(std::move(from)),
        worker_(worker),
        lane_(lane) {}

  void post() { lane_.door.loop->post(*this); }

  const std::uint64_t number;
  const nats::Message message;
  std::uint64_t delivery = 1;
  std::string result;
  bool is_error = false;
  bool was_replaced = false;                // the result was too large
  std::optional<base::TimePoint> again_at;  // when it is stored again

 private:
  void start() {
    lane_.door.ranker->start(*this, lane_.reader, message.data, {.plan = worker_.plan_});
  }
  void on_answer() override { lane_.on_answered(*this); }

  JobWorker& worker_;
  Lane& lane_;
};

class JobWorker::PullSink final : public nats::MessageSink {
 public:
  explicit PullSink(JobWorker& worker) : worker_(worker) {}
  void on_message(nats::Message message) override {
    worker_.note({.kind = EventKind::kDelivered, .message = std::move(message)});
  }
  void on_rest() override { worker_.wake(); }

 private:
  JobWorker& worker_;
};

JobWorker::JobWorker(Parts parts, const WorkerSettings& settings)
    : parts_(std::move(parts)),
      settings_(settings),
      inbox_("_INBOX." + parts_.link->make_unique_name()) {
  for (const Door& door : parts_.doors) lanes_.push_back(std::make_unique<Lane>(*this, door));
}

JobWorker::~JobWorker() {
  box_.reset();
  // Whoever noted the last event may still hold it.
  const base::MutexLock lock(mutex_);
}

void JobWorker::note(Event event) {
  const base::MutexLock lock(mutex_);
  events_.push_back(std::move(event));
}

void JobWorker::wake() {
  const base::MutexLock lock(mutex_);
  if (!events_.empty()) changed_.notify_all();
}

void JobWorker::tell(std::vector<Event> events) {
  const base::MutexLock lock(mutex_);
  std::ranges::move(events, std::back_inserter(events_));
  changed_.notify_all();
}

std::vector<JobWorker::Event> JobWorker::wait_for_events() {
  const base::MutexLock lock(mutex_);
  if (events_.empty()) changed_.wait_for(mutex_, kTick);
  return std::exchange(events_, {});
}

base::Status JobWorker::run(Until until) {
  MR_TRY(const JobManifest manifest, parts_.store->manifest());
  plan_ = manifest.plan;
  line_count_ = manifest.line_count;
  PullSink sink(*this);
  MR_TRY(auto subscription, parts_.link->subscribe(inbox_, "", sink));
  MR_TRY(box_, nats::RequestBox::open(*parts_.link, [this] { wake(); }));
  next_heartbeat_ = base::steady_clock().now() + kHeartbeat;
  bool is_ending = false;
  while (!is_ending || !open_.empty()) {
    for (Event& event : wait_for_events()) handle(std::move(event));
    const base::TimePoint now = base::steady_clock().now();
    keep_alive(now);
    store_again(now);
    if (!is_ending && std::exchange(is_homeless_, false)) look_for_job();
    is_ending |= parts_.is_stopped() || problem_.has_value();
    if (is_ending) leave_unstored();
    if (!is_ending && was_empty_ && open_.empty()) {
      was_empty_ = false;
      const auto over = is_over(until);
      // A server that is away comes back; a job that is gone does not.
      is_ending = over.value_or(false) || problem_.has_value();
      if (!over && over.error().code() == base::ErrorCode::kNotFound) problem_ = over.error();
    }
    if (!is_ending) pull(now);
    parts_.link->send();
    if (parts_.on_progress) parts_.on_progress(counts_);
  }
  box_.reset();
  subscription.reset();
  // What came meanwhile goes to others at once.
  for (const Event& event : wait_for_events()) {
    if (event.kind == EventKind::kDelivered && nats::delivery_number(event.message.reply))
      (void)parts_.link->queue({.subject = event.message.reply, .data = "-NAK"});
  }
  parts_.link->send();
  if (problem_) return std::unexpected(*problem_);
  return {};
}

base::Result<bool> JobWorker::is_over(Until until) {
  MR_TRY(JobState state, parts_.store->state());
  if (until == Until::kDone && state.is_done()) {
    MR_TRY_STATUS(parts_.store->count_results(state));
  }
  if (until == Until::kIdle ? !state.has_work() : state.is_done()) return true;
  MR_TRY_STATUS(look_after(state, until));
  return false;
}

base::Status JobWorker::look_after(const JobState& state, Until until) {
  // The state was asked for piece by piece, while others work: only what stays is believed.
  if (std::exchange(looked_at_, state) != state) return {};
  const std::uint64_t known_count = state.waiting_count + state.in_flight_count;
  // A server that was killed knows less about its consumers than about its queues. Its consumer may
  // be gone, or have passed over lines that are still queued; and lines that it believes to be in
  // flight, but that are not queued any more, keep it from delivering others (nats-server 2.9).
  const bool is_passed_over = known_count == 0 && state.held_count > 0;
  const bool has_ghosts = known_count > state.held_count;
  if (is_passed_over || has_ghosts) {
    if (parts_.log != nullptr)
      parts_.log->warning("job_consumer_remade",
                          "The consumer of the job does not fit its queue, and is made anew",
                          {{"job", parts_.store->names().job()},
                           {"queued", state.held_count},
                           {"waiting", state.waiting_count},
                           {"in_flight", state.in_flight_count}});
    looked_at_.reset();
    return parts_.store->remake_consumer();
  }
  // Nothing is queued, and `submit` has come to its end, or its queue is gone.
  const bool is_submitted = state.queued_count >= line_count_ || !state.has_queue;
  if (until == Until::kDone && state.held_count == 0 && is_submitted)
    problem_ = base::Error(
        base::ErrorCode::kUnavailable,
        base::format("JetStream has lost {} lines of the job '{}': they have no result and are not "
                     "queued; submit the file with --repair",
                     line_count_ - state.done_count,
                     parts_.store->names().job()));
  return {};
}

void JobWorker::pull(base::TimePoint now) {
  // A server that died says nothing about its pulls.
  if (asked_count_ > 0 && now < pull_end_) return;
  // Nor does a server without the consumer: what is asked of it then reaches nobody.
  was_empty_ |= asked_count_ > 0;
  asked_count_ = 0;
  const std::size_t open_max = kOpenFactor * settings_.concurrency;
  const std::size_t room =
      std::min(settings_.concurrency - std::min(settings_.concurrency, running_count_),
               open_max - std::min(open_max, open_.size()));
  if (room < std::max<std::size_t>(1, settings_.concurrency / 4)) return;
  const auto sent = parts_.link->queue(
      {.subject = base::format("$JS.API.CONSUMER.MSG.NEXT.{}.{}",
                               parts_.store->names().queue_stream(),
                               JobStore::kConsumer),
       .reply = inbox_,
       .data = base::format(R"({{"batch":{},"expires":{}}})", room, nanoseconds(kPullExpires))});
  asked_count_ = room;
  pull_end_ = now + (sent ? 2 * kPullExpires : kStoreAgain);
}

void JobWorker::handle(Event event) {
  switch (event.kind) {
    case EventKind::kDelivered:
      return on_delivered(std::move(event.message));
    case EventKind::kAnswered:
      return on_answered(*event.line);
    case EventKind::kStored:
      return on_stored(*event.line, *event.outcome);
    case EventKind::kMarked:
      return acknowledge(*event.line);
    case EventKind::kAcked:
      return end(*event.line);
  }
}

void JobWorker::on_delivered(nats::Message message) {
  const auto delivery = nats::delivery_number(message.reply);
  if (!delivery) {
    // The pull is over: its time, or nobody serves it.
    was_empty_ = asked_count_ > 0 || message.says_no_responders;
    asked_count_ = 0;
    if (message.says_no_responders) {
      asked_count_ = 1;
      pull_end_ = base::steady_clock().now() + kStoreAgain;
    }
    return;
  }
  if (asked_count_ > 0) --asked_count_;
  was_empty_ = false;
  const auto number = JobNames::line_of(message.subject, parts_.store->names().queue_prefix());
  if (!number || *number >= line_count_) {
    ++counts_.foreign;
    if (parts_.log != nullptr)
      parts_.log->warning("job_foreign_message",
                          "A message on the subjects of the job is none of its lines",
                          {{"subject", message.subject}});
    (void)parts_.link->queue({.subject = message.reply, .data = "+TERM"});
    return;
  }
  Lane& lane = *lanes_[delivered_count_++ / kLinesInARow % lanes_.size()];
  auto made = std::make_unique<Line>(*this, lane, std::move(message), *number);
  Line& line = *made;
  line.delivery = *delivery;
  open_.emplace(&line, std::move(made));
  if (line.delivery <= settings_.attempts_max) return run_line(line);
  // It is stored before it could run: no line ends workers more often (JOB8).
  line.result = rank::make_unrun_answer(
      line.message.data,
      "gave_up",
      base::format("The request was taken {} times, and no worker has stored a result",
                   settings_.attempts_max));
  line.is_error = true;
  store(line);
}

void JobWorker::run_line(Line& line) {
  ++running_count_;
  line.post();
}

void JobWorker::on_answered(Line& line) {
  --running_count_;
  const auto code = line.code();
  if (code && may_pass(*code) && line.delivery < settings_.attempts_max)
    return give_back(line, pause_after(line.delivery));
  line.result = line.response();
  line.is_error = code.has_value();
  store(line);
}

void JobWorker::store(Line& line) {
  line.again_at.reset();
  box_->queue({.subject = parts_.store->names().result_subject(line.number), .data = line.result},
              nats::JetStream::kLimit,
              [this, &line](const base::Result<nats::Message>& answer) {
                note({.kind = EventKind::kStored,
                      .line = &line,
                      .outcome = nats::read_store_answer(answer)});
              });
}

void JobWorker::on_stored(Line& line, const base::Result<nats::StoreOutcome>& outcome) {
  if (!outcome) return on_not_stored(line, outcome.error());
  switch (*outcome) {
    case nats::StoreOutcome::kFull:
      problem_ = base::Error(
          base::ErrorCode::kResourceExhausted,
          base::format("no_space: the stream {} is full", parts_.store->names().result_stream()));
      return give_back(line, pause_after(6));
    case nats::StoreOutcome::kTaken:
      ++counts_.taken;
      break;
    default:
      ++counts_.stored;
      if (line.is_error) ++counts_.failed;
  }
  if (!line.is_error) return acknowledge(line);
  // So that the state of a job shows how many lines failed without reading all results. If this
  // gets lost, the count is too low, and nothing else is wrong.
  box_->queue({.subject = parts_.store->names().failed_subject(line.number)},
              nats::JetStream::kLimit,
              [this, &line](const base::Result<nats::Message>&) {
                note({.kind = EventKind::kMarked, .line = &line});
              });
}

void JobWorker::on_not_stored(Line& line, const base::Error& error) {
  const bool is_too_large = error.code() == base::ErrorCode::kResourceExhausted;
  if (is_too_large && line.was_replaced) {
    problem_ = base::Error(error.code(),
                           base::format("The NATS server takes {} bytes, which is too little for "
                                        "the result of line {}; raise its max_payload",
                                        parts_.link->payload_bytes_max(),
                                        line.number + 1));
    return give_back(line, pause_after(6));
  }
  if (is_too_large) {
    line.was_replaced = true;
    line.result = rank::make_unrun_answer(
        line.message.data,
        "response_too_large",
        base::format("The result has {} bytes, and the NATS server takes {}; ask for fewer "
                     "candidates or columns",
                     line.result.size(),
                     parts_.link->payload_bytes_max()));
    line.is_error = true;
    return store(line);
  }
  is_homeless_ |= error.code() == base::ErrorCode::kNotFound;
  // Whether it was stored is not known; the rule of one result per line makes trying safe.
  line.again_at = base::steady_clock().now() + kStoreAgain;
}

void JobWorker::acknowledge(Line& line) {
  box_->queue({.subject = line.message.reply, .data = "+ACK"},
              nats::JetStream::kLimit,
              [this, &line](const base::Result<nats::Message>&) {
                note({.kind = EventKind::kAcked, .line = &line});
              });
}

void JobWorker::give_back(Line& line, base::Duration pause) {
  ++counts_.given_back;
  (void)parts_.link->queue({.subject = line.message.reply,
                            .data = base::format(R"(-NAK {{"delay":{}}})", nanoseconds(pause))});
  end(line);
}

void JobWorker::end(Line& line) { open_.erase(&line); }

void JobWorker::keep_alive(base::TimePoint now) {
  if (now < next_heartbeat_) return;
  next_heartbeat_ = now + kHeartbeat;
  for (const auto& [line, owned] : open_)
    (void)parts_.link->queue({.subject = line->message.reply, .data = "+WPI"});
}

void JobWorker::store_again(base::TimePoint now) {
  for (const auto& [line, owned] : open_) {
    if (line->again_at && *line->again_at <= now) store(*line);
  }
}

void JobWorker::leave_unstored() {
  std::vector<Line*> left;
  for (const auto& [line, owned] : open_) {
    if (line->again_at) left.push_back(line);
  }
  for (Line* const line : left) give_back(*line, {});
}

void JobWorker::look_for_job() {
  const auto there = parts_.store->manifest();
  if (!there && there.error().code() == base::ErrorCode::kNotFound) problem_ = there.error();
}

}  // namespace millrace::jobs
