#include "bench/redis/client_cost.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <stdexcept>

#include <hiredis/hiredis.h>

#include "base/format.h"
#include "tests/redis/live_client.h"

namespace millrace::bench {
namespace {

constexpr int kPipeline = 256;

double thread_cpu_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

struct Case {
  std::string name;
  stores::StoreCommand command;
  std::string prefix;
  std::vector<std::string> words;  // name of the command, then the arguments after the key
  stores::ValueForm form;
  double bar_us;
};

/// A coroutine that runs on the loop of the client.
loop::Task<base::Result<int>> run_batches(stores::RedisClient* client,
                                          rows::RowScratch* scratch,
                                          const Case* one,
                                          int count) {
  for (int i = 0; i < count; ++i) {
    stores::KeyListBuilder keys(*scratch, one->prefix, "", kPipeline);
    for (int key = 0; key < kPipeline; ++key) keys.add(static_cast<std::int64_t>(key));
    stores::CommandBatch batch{
        .command = one->command, .keys = keys.finish(), .count = 100, .form = one->form};
    const auto reply = co_await client->execute(std::move(batch), {});
    if (!reply || reply->ends.size() != kPipeline) throw std::runtime_error("a batch failed");
  }
  co_return count;
}

/// CPU time of the loop thread per command, including the making of keys.
double measure_ours(live::LiveClient& client, const Case& one, int batches) {
  double begin = 0;
  double end = 0;
  auto* const redis = client.ask([](stores::RedisClient& found) { return &found; });
  loop::AwaitedOutcome<base::Result<int>> outcome;
  loop::run_and_wait(client.loop(), [&] {
    begin = thread_cpu_us();
    loop::start(client.loop(), run_batches(redis, &client.scratch(), &one, batches), outcome);
  });
  if (!outcome.wait()) throw std::runtime_error("a batch failed");
  loop::run_and_wait(client.loop(), [&] { end = thread_cpu_us(); });
  return (end - begin) / (static_cast<double>(batches) * kPipeline);
}

double measure_hiredis(redisContext* context, const Case& one, int batches) {
  const double begin = thread_cpu_us();
  for (int i = 0; i < batches; ++i) {
    for (int key = 0; key < kPipeline; ++key) {
      const std::string name = base::format("{}{}", one.prefix, key);
      if (one.words.size() == 1) {
        redisAppendCommand(context, "%s %s", one.words[0].c_str(), name.c_str());
      } else {
        redisAppendCommand(context,
                           "%s %s %s %s",
                           one.words[0].c_str(),
                           name.c_str(),
                           one.words[1].c_str(),
                           one.words[2].c_str());
      }
    }
    for (int key = 0; key < kPipeline; ++key) {
      void* reply = nullptr;
      if (redisGetReply(context, &reply) != REDIS_OK) throw std::runtime_error("hiredis failed");
      freeReplyObject(reply);
    }
  }
  return (thread_cpu_us() - begin) / (static_cast<double>(batches) * kPipeline);
}

}  // namespace

std::vector<ClientCost> measure_client_cost(World& world, int batches) {
  const std::string file = world.server().file("client.redis");
  std::string text;
  for (int key = 0; key < kPipeline; ++key) {
    text += base::format("SET cost_s:{0} value{0}\nHSET cost_h:{0}", key);
    for (int field = 0; field < 20; ++field) text += base::format(" field{0} value{0}", field);
    text += base::format("\nRPUSH cost_l:{}", key);
    for (int item = 0; item < 100; ++item) text += base::format(" {}", 100'000 + item);
    text += "\n";
  }
  world.server().load(world.server().folder().write("client.redis", text));
  stores::RedisSettings settings;
  settings.pool.address = {.unix_path = world.server().socket_path()};
  settings.pool.request_timeout = std::chrono::seconds(20);
  live::LiveClient client(settings);
  redisContext* const context = redisConnectUnix(world.server().socket_path().c_str());
  if (context == nullptr || context->err != 0) throw std::runtime_error("hiredis cannot connect");
  std::vector<ClientCost> costs;
  using stores::StoreCommand;
  using stores::ValueForm;
  for (const Case& one :
       {Case{"GET", StoreCommand::kGet, "cost_s:", {"GET"}, ValueForm::kText, 0.5},
        Case{
            "HGETALL 20", StoreCommand::kHashGetAll, "cost_h:", {"HGETALL"}, ValueForm::kText, 1.2},
        Case{"LRANGE 100",
             StoreCommand::kListRange,
             "cost_l:",
             {"LRANGE", "0", "99"},
             ValueForm::kInt64,
             2.5}}) {
    ClientCost cost{.name = one.name, .ours_us = 1e9, .hiredis_us = 1e9, .bar_us = one.bar_us};
    for (int turn = 0; turn < 5; ++turn) {
      cost.ours_us = std::min(cost.ours_us, measure_ours(client, one, batches));
      cost.hiredis_us = std::min(cost.hiredis_us, measure_hiredis(context, one, batches));
    }
    costs.push_back(cost);
  }
  redisFree(context);
  return costs;
}

}  // namespace millrace::bench
