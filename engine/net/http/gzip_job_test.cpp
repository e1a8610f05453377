#include "net/http/gzip_job.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "loop/fake_loop.h"
#include "net/http/gzip.h"

namespace millrace::net {
namespace {

struct PackedBody : GzipJob::Owner {
  std::string packed;
  void on_packed(std::string bytes, bool is_packed) override {
    EXPECT_TRUE(is_packed);
    packed = std::move(bytes);
  }
};

TEST(GzipJobTest, PacksOnTheWorkerAndTellsAtHome) {
  base::ManualClock clock;
  loop::FakeLoop worker(clock);
  loop::FakeLoop home(clock);
  PackedBody owner;
  const std::string body(100, 'x');
  (void)GzipJob::start(worker, home, body, owner);
  home.run_ready();
  EXPECT_EQ(owner.packed, "");
  worker.run_ready();
  EXPECT_EQ(owner.packed, "");
  home.run_ready();
  std::string expected;
  GzipDeflater().deflate(body, expected);
  EXPECT_EQ(owner.packed, expected);
}

TEST(GzipJobTest, AnOwnerThatForgotItHearsNothing) {
  base::ManualClock clock;
  loop::FakeLoop worker(clock);
  loop::FakeLoop home(clock);
  PackedBody owner;
  GzipJob* const job = GzipJob::start(worker, home, "body", owner);
  worker.run_ready();
  job->forget();
  home.run_ready();
  EXPECT_EQ(owner.packed, "");
}

}  // namespace
}  // namespace millrace::net
