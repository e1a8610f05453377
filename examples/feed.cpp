// Ranks a feed: two sources are fetched at the same time, joined, scored, filtered and cut. One
// flow serves many viewers at once, and every request is answered by its deadline.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <millrace/millrace.h>

namespace {

using namespace std::chrono_literals;
using millrace::base::Result;
using millrace::base::Status;
using millrace::loop::Loop;
using millrace::loop::Task;
using millrace::runtime::AsyncCall;
using millrace::runtime::Flow;
using millrace::runtime::FlowBuilder;
using millrace::runtime::NodeCall;
using millrace::runtime::Replaceable;

struct Item {
  std::int64_t id = 0;
  double score = 0;
  bool operator<(const Item& other) const {
    return score != other.score ? score > other.score : id < other.id;
  }
};

/// The context of one request: what its nodes read and write.
struct Request {
  std::int64_t viewer = 0;
  millrace::base::Duration friends_latency = 2ms;
  Loop* loop = nullptr;
  std::vector<Item> from_friends = {};
  std::vector<Item> trending = {};
  std::vector<Item> feed = {};
};

std::vector<Item> make_items(std::int64_t first, int count) {
  std::vector<Item> items;
  for (int index = 0; index < count; ++index) items.push_back({.id = first + index});
  return items;
}

/// What the fetch of friends needs. It may be given up while the rest of the request goes on, so it
/// gets a copy and returns its items.
struct FriendsQuery {
  Loop* loop = nullptr;
  std::int64_t viewer = 0;
  millrace::base::Duration latency{};
};

FriendsQuery make_friends_query(const Request& request) {
  return {.loop = request.loop, .viewer = request.viewer, .latency = request.friends_latency};
}

Task<Result<std::vector<Item>>> fetch_friends(FriendsQuery query, NodeCall call) {
  MR_CO_TRY_STATUS(
      co_await millrace::loop::sleep_for(*query.loop, query.latency, call.stop_token()));
  co_return make_items(query.viewer * 100, 40);
}

Task<Status> fetch_trending(AsyncCall<Request> call) {
  Request& request = call.context();
  MR_CO_TRY_STATUS(co_await millrace::loop::sleep_for(*request.loop, 1ms, call.stop_token()));
  request.trending = make_items(9'000, 10);
  co_return Status{};
}

millrace::base::Result<Flow<Request>> build_feed() {
  FlowBuilder<Request> builder;
  builder
      .async("friends",
             Replaceable{.input = make_friends_query,
                         .body = fetch_friends,
                         .commit = &Request::from_friends,
                         .or_else = std::vector<Item>{},  // the feed has trending items only
                         .timeout = 10ms})
      .async("trending", fetch_trending)
      .cpu("join",
           [](Request& request) {
             request.feed = request.from_friends;
             request.feed.insert(
                 request.feed.end(), request.trending.begin(), request.trending.end());
           },
           {.after = {"friends", "trending"}})
      .cpu("score",
           [](Request& request) {
             for (Item& item : request.feed)
               item.score = static_cast<double>((item.id * 7919 + request.viewer) % 997) / 997;
           },
           {.after = {"join"}})
      .cpu("filter",
           [](Request& request) {
             std::erase_if(request.feed, [](const Item& item) { return item.score < 0.3; });
           },
           {.after = {"score"}})
      .cpu("sort",
           [](Request& request) { std::sort(request.feed.begin(), request.feed.end()); },
           {.after = {"filter"}})
      .cheap("take",
             [](Request& request) {
               request.feed.resize(std::min<std::size_t>(request.feed.size(), 5));
             },
             {.after = {"sort"}});
  return builder.build();
}

void print(const char* title, const Status& status, const Request& request) {
  std::printf("%s: ", title);
  if (!status) {
    std::printf("%s\n", status.error().to_string().c_str());
    return;
  }
  for (const Item& item : request.feed)
    std::printf("%lld (%.3f)  ", static_cast<long long>(item.id), item.score);
  std::printf("\n");
}

}  // namespace

int main() {
  const auto flow = build_feed();
  auto loop = millrace::loop::EventLoop::create();
  auto pool = millrace::runtime::WorkerPool::create({.compute_threads = 2});
  if (!flow || !loop || !pool) return 1;
  const auto rank = [&](Request request, std::chrono::milliseconds budget, const char* title) {
    request.loop = loop->get();
    const auto shared = std::make_shared<Request>(std::move(request));
    const Status status = flow->run(**pool, shared, {.budget = budget, .loop = loop->get()});
    print(title, status, *shared);
    return status.has_value();
  };
  const bool full = rank({.viewer = 7}, 1000ms, "viewer 7");
  const bool degraded =
      rank({.viewer = 8, .friends_latency = 2000ms}, 1000ms, "viewer 8, friends too slow");
  // Five milliseconds: the slow source gives up early enough for the rest to be ranked.
  static_cast<void>(
      rank({.viewer = 9, .friends_latency = 2000ms}, 5ms, "viewer 9, 5 ms to answer"));

  constexpr int kRequests = 2000;
  millrace::runtime::WaitGroup open;
  open.add(kRequests);
  for (int viewer = 0; viewer < kRequests; ++viewer) {
    auto request = std::make_shared<Request>(Request{.viewer = viewer, .loop = loop->get()});
    const auto started =
        flow->submit(**pool,
                     request,
                     {.loop = loop->get()},
                     {.on_answer =
                          [](millrace::runtime::Run&, void* group) {
                            static_cast<millrace::runtime::WaitGroup*>(group)->done();
                          },
                      .data = &open});
    if (!started) return 1;
  }
  (*pool)->help_until_done(open);
  const auto counters = (*pool)->counters();
  std::printf(
      "%d more requests at once: %llu nodes run on workers, %llu handed over, %llu wake-ups\n",
      kRequests,
      static_cast<unsigned long long>(counters.executed),
      static_cast<unsigned long long>(counters.stolen),
      static_cast<unsigned long long>(counters.wakes));
  return full && degraded ? 0 : 1;
}
