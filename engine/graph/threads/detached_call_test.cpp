#include "graph/threads/detached_call.h"

#include <functional>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "graph/body/body_services.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/body/invocation_record.h"
#include "graph/payload.h"

namespace millrace::graph {
namespace {

/// One output, and counts what reaches it. Threading: one call at a time.
class CountingServices final : public BodyServices {
 public:
  std::uint32_t find_output(std::uint32_t, std::string_view name) const override {
    return name == "out" ? 0 : kNoIndex;
  }
  PublishReport publish_report(std::uint32_t, std::string_view) const override { return {}; }
  bool cancel_requested(const InvocationRecord&) const override { return false; }
  void note_late_publish(const InvocationRecord&) override { ++late_publishes; }
  void note_return(const InvocationRecord&, const Component*) override { ++returns; }
  void spend(InvocationRecord&, Duration, bool) override {}
  base::Status submit_task(InvocationRecord&, std::string_view, TaskFunction, Duration) override {
    return {};
  }
  base::Result<Payload> ask(InvocationRecord&,
                            const std::function<base::Result<Payload>()>& question) override {
    return question();
  }
  std::optional<std::string> read_line(InvocationRecord&) override { return "line"; }
  std::optional<Payload> read_state(const InvocationRecord&,
                                    std::string_view,
                                    std::string_view) const override {
    return Payload(std::int64_t{1});
  }
  std::vector<Message> read_channel(const InvocationRecord&,
                                    std::string_view,
                                    std::string_view) override {
    return {Message{}};
  }

  int late_publishes = 0;
  int returns = 0;
};

class BodyComponent final : public Component {
 public:
  explicit BodyComponent(std::function<base::Status(GraphContext&)> body)
      : body_(std::move(body)) {}
  base::Status execute(const Invocation&, GraphContext& context) override { return body_(context); }

 private:
  std::function<base::Status(GraphContext&)> body_;
};

std::shared_ptr<DetachedCall> make_call(BodyServices& services,
                                        std::function<base::Status(GraphContext&)> body) {
  InvocationRecord record;
  record.output_count = 1;
  return std::make_shared<DetachedCall>(
      services, std::make_shared<BodyComponent>(std::move(body)), record);
}

TEST(DetachedCall, ACallThatEndsInTimeKeepsWhatItPublished) {
  CountingServices services;
  const auto call = make_call(services, [](GraphContext& context) -> base::Status {
    EXPECT_TRUE(context.publish("out", Payload(std::int64_t{7})));
    EXPECT_FALSE(context.cancel_requested());
    EXPECT_EQ(context.read_line(), "line");
    EXPECT_EQ(context.ask([] { return base::Result<Payload>(Payload(true)); }), Payload(true));
    return {};
  });
  EXPECT_TRUE(call->execute());
  EXPECT_EQ(call->record().published.size(), 1U);
  EXPECT_FALSE(call->abandon());
}

TEST(DetachedCall, AnExceptionBecomesAnError) {
  CountingServices services;
  const auto call = make_call(
      services, [](GraphContext&) -> base::Status { throw std::runtime_error("out of luck"); });
  EXPECT_TRUE(call->execute());
  ASSERT_TRUE(call->record().error);
  EXPECT_EQ(call->record().error->message(), "The component threw an exception: out of luck");
}

TEST(DetachedCall, G44_WhatACallPublishesAfterItWasGivenUpIsRefusedAndCounted) {
  CountingServices services;
  std::latch is_running(1);
  std::latch go_on(1);
  const auto call = make_call(services, [&](GraphContext& context) -> base::Status {
    is_running.count_down();
    go_on.wait();
    EXPECT_FALSE(context.publish("out", Payload(std::int64_t{7})));
    EXPECT_TRUE(context.cancel_requested());
    EXPECT_EQ(context.read_line(), std::nullopt);
    EXPECT_EQ(context.state().read("table", "key"), std::nullopt);
    EXPECT_FALSE(context.submit_task("out", {}));
    EXPECT_FALSE(context.ask([] { return base::Result<Payload>(Payload(true)); }));
    EXPECT_TRUE(context.read("in", "reader").empty());
    return {};
  });
  bool has_ended = true;
  std::thread thread([&] { has_ended = call->execute(); });
  is_running.wait();
  EXPECT_TRUE(call->abandon());
  EXPECT_FALSE(call->abandon());
  go_on.count_down();
  thread.join();
  EXPECT_FALSE(has_ended);
  EXPECT_EQ(services.late_publishes, 1);
  EXPECT_EQ(services.returns, 1);
}

TEST(DetachedCall, G44_NothingReachesARunThatHasEnded) {
  auto services = std::make_unique<CountingServices>();
  std::latch is_running(1);
  std::latch go_on(1);
  const auto call = make_call(*services, [&](GraphContext& context) -> base::Status {
    is_running.count_down();
    go_on.wait();
    EXPECT_FALSE(context.publish("out", Payload(std::int64_t{7})));
    EXPECT_FALSE(context.publish(0U, Payload(std::int64_t{7})));
    return {};
  });
  std::thread thread([&] { EXPECT_FALSE(call->execute()); });
  is_running.wait();
  EXPECT_TRUE(call->abandon());
  call->close();
  services.reset();
  go_on.count_down();
  thread.join();
}

}  // namespace
}  // namespace millrace::graph
