#include "apps/rankd/request_command.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/sync/mutex.h"

namespace millrace::rankd {
namespace {

using ::testing::HasSubstr;

/// Reads from a text and writes to a pipe.
class PumpRig {
 public:
  explicit PumpRig(const std::string& input) {
    EXPECT_EQ(pipe(in_), 0);
    EXPECT_EQ(pipe(out_), 0);
    EXPECT_EQ(write(in_[1], input.data(), input.size()), static_cast<ssize_t>(input.size()));
    close(in_[1]);
  }
  ~PumpRig() {
    for (const int descriptor : {in_[0], out_[0], out_[1]}) close(descriptor);
  }
  base::Result<bool> run(RequestPump::Ask ask, std::size_t concurrency = 8) {
    LineReader reader(in_[0], "in", stop_, 1000);
    Output output(out_[1], "out");
    RequestPump pump(
        std::move(ask), {.subject = "rank.p", .concurrency = concurrency}, output, stop_);
    return pump.run(reader);
  }
  std::string written() {
    fcntl(out_[0], F_SETFL, O_NONBLOCK);
    std::string text(65536, '\0');
    const ssize_t size = read(out_[0], text.data(), text.size());
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }

 private:
  StopFlag stop_;
  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
};

nats::Message good(std::string data) {
  return {.data = std::move(data), .headers = {{"Rank-Status", "200"}}};
}

TEST(RequestCommandTest, NAT9_AnswersComeInTheOrderOfTheLines) {
  PumpRig rig("a\nb\n\nc\n");
  std::vector<std::pair<std::string, nats::RequestBox::Done>> open;
  const auto result = rig.run([&](nats::Message message, base::Duration, auto done) {
    EXPECT_EQ(message.subject, "rank.p");
    open.emplace_back(message.data, std::move(done));
    if (open.size() < 3) return;
    // The last is answered first.
    for (auto each = open.rbegin(); each != open.rend(); ++each)
      each->second(good("answer " + each->first));
  });
  ASSERT_TRUE(result);
  EXPECT_TRUE(*result);
  EXPECT_EQ(rig.written(), "answer a\nanswer b\nanswer c\n");
}

TEST(RequestCommandTest, NAT9_NoMoreThanTheConcurrencyIsUnderWay) {
  PumpRig rig("a\nb\nc\nd\n");
  base::Mutex mutex;
  std::vector<nats::RequestBox::Done> open;
  std::size_t most_open = 0;
  int asked_count = 0;
  std::vector<std::thread> threads;
  const auto answer_all = [&] {
    // A pump that does not keep to the limit has the time to go on.
    for (int turn = 0; turn < 10'000; ++turn) std::this_thread::yield();
    std::vector<nats::RequestBox::Done> answered;
    {
      const base::MutexLock lock(mutex);
      answered.swap(open);
    }
    for (const auto& done : answered) done(good("x"));
  };
  const auto result = rig.run(
      [&](nats::Message, base::Duration, nats::RequestBox::Done done) {
        const base::MutexLock lock(mutex);
        open.push_back(std::move(done));
        most_open = std::max(most_open, open.size());
        if (++asked_count == 4 || open.size() == 2) threads.emplace_back(answer_all);
      },
      2);
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(result);
  EXPECT_TRUE(*result);
  EXPECT_EQ(asked_count, 4);
  EXPECT_EQ(most_open, 2U);
}

TEST(RequestCommandTest, NAT9_WhatHasNoAnswerIsAnErrorLine) {
  PumpRig rig("{\"user_id\":1,\"request_id\":\"r1\"}\nnonsense\nx\n");
  int count = 0;
  const auto result = rig.run([&](nats::Message, base::Duration, nats::RequestBox::Done done) {
    ++count;
    if (count == 1) return done(base::fail(base::ErrorCode::kNotFound, "Nobody listens"));
    if (count == 2) return done(base::fail(base::ErrorCode::kTimeout, "No answer"));
    done(nats::Message{.data = "two\nlines", .headers = {{"Rank-Status", "422"}}});
  });
  ASSERT_TRUE(result);
  EXPECT_FALSE(*result) << "the exit code is 1";
  EXPECT_EQ(rig.written(),
            "{\"request_id\":\"r1\",\"error\":{\"code\":\"no_responders\",\"message\":\"Nobody "
            "listens\"}}\n"
            "{\"error\":{\"code\":\"timeout\",\"message\":\"No answer\"}}\n"
            "two lines\n");
}

}  // namespace
}  // namespace millrace::rankd
