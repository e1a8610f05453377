#include "server/start_check.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace millrace::server {
namespace {

TEST(StartCheckTest, S46_TriesUntilEachHasWorkedOnce) {
  Readiness readiness;
  std::atomic<int> endpoint_tries{0};
  std::atomic<int> plan_tries{0};
  std::vector<StartTrial> trials;
  trials.push_back({.name = "redis", .attempt = [&]() -> std::optional<std::string> {
                      if (++endpoint_tries < 3) return "down";
                      return std::nullopt;
                    }});
  trials.push_back({.name = "p", .is_plan = true, .attempt = [&]() -> std::optional<std::string> {
                      // Plans wait for endpoints.
                      EXPECT_EQ(endpoint_tries.load(), 3);
                      if (++plan_tries < 2) return "failed";
                      return std::nullopt;
                    }});
  const StartCheck check(readiness,
                         std::move(trials),
                         {.retry = std::chrono::microseconds(10), .watch = std::chrono::hours(1)});
  while (!readiness.is_ready()) std::this_thread::yield();
  EXPECT_EQ(endpoint_tries.load(), 3);
  EXPECT_EQ(plan_tries.load(), 2);
}

TEST(StartCheckTest, EndsWhileItWaits) {
  Readiness readiness;
  std::atomic<bool> was_tried{false};
  std::vector<StartTrial> trials;
  trials.push_back({.name = "redis", .attempt = [&]() -> std::optional<std::string> {
                      was_tried = true;
                      return "down";
                    }});
  {
    const StartCheck check(readiness, std::move(trials), {.retry = std::chrono::hours(1)});
    while (!was_tried) std::this_thread::yield();
  }
  EXPECT_FALSE(readiness.is_ready());
  EXPECT_EQ(readiness.to_text(), "[-]endpoint redis: down\n");
}

TEST(StartCheckTest, S46_LaterOutagesShowInTheReportOnlyAndEndThere) {
  Readiness readiness;
  std::atomic<bool> is_down{false};
  std::vector<StartTrial> trials;
  trials.push_back({.name = "redis", .attempt = [&]() -> std::optional<std::string> {
                      if (is_down) return "connection refused";
                      return std::nullopt;
                    }});
  const StartCheck check(readiness,
                         std::move(trials),
                         {.retry = std::chrono::hours(1), .watch = std::chrono::microseconds(10)});
  while (!readiness.is_ready()) std::this_thread::yield();
  is_down = true;
  while (readiness.to_text() != "[-]endpoint redis: connection refused\n")
    std::this_thread::yield();
  EXPECT_TRUE(readiness.is_ready());
  is_down = false;
  while (readiness.to_text() != "[+]endpoint redis ok\n") std::this_thread::yield();
}

}  // namespace
}  // namespace millrace::server
