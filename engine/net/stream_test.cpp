#include "net/stream.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "net/stream_rig_fixture.h"

// What every kind of stream does, tested on all of them.

namespace millrace::net {
namespace {

struct StreamKind {
  const char* name;
  std::unique_ptr<StreamRig> (*make)();
};

template <class Rig>
std::unique_ptr<StreamRig> make_rig() {
  return std::make_unique<Rig>();
}
template <bool kIsUnix, bool kIsTls, bool kIsServer>
std::unique_ptr<StreamRig> make_uv_rig() {
  return std::make_unique<UvRig>(
      UvRig::Settings{.is_unix = kIsUnix, .is_tls = kIsTls, .is_server = kIsServer});
}

class StreamTest : public testing::TestWithParam<StreamKind> {
 protected:
  /// Runs the loop until `condition` is true there.
  void wait_for(const std::function<bool()>& condition) {
    for (bool done = false; !done;) {
      rig_->turn();
      rig_->on_loop([&] { done = condition(); });
    }
  }
  void open() {
    rig_->on_loop([&] { rig_->open(); });
    wait_for([&] { return end_.connected_count == 1 && rig_->peer_is_ready(); });
  }
  /// Lets happen what must not: a few turns with an exchange over the connection in each.
  void some_turns() {
    for (int i = 0; i < 20; ++i) rig_->turn();
  }

  std::unique_ptr<StreamRig> rig_ = GetParam().make();
  Recorder& end_ = rig_->end;
};

TEST_P(StreamTest, TheEndOfInputIsToldOnceAndWritingGoesOn) {
  open();
  rig_->on_loop([&] {
    rig_->peer_write("last words");
    rig_->peer_finish();
  });
  wait_for([&] { return end_.input_end_count > 0; });
  EXPECT_EQ(end_.text, "last words");
  rig_->on_loop([&] { end_.stream->write("an answer"); });
  wait_for([&] { return rig_->peer_received() == "an answer"; });
  rig_->on_loop([&] {
    EXPECT_EQ(end_.input_end_count, 1);
    EXPECT_FALSE(end_.closed);
  });
}

TEST_P(StreamTest, UnsentBytesSurviveTheEndOfInput) {
  open();
  const std::string bytes(rig_->stall_bytes(), 'x');
  rig_->on_loop([&] {
    rig_->peer_stall(true);
    end_.stream->write(bytes);
    EXPECT_GT(end_.stream->unsent_bytes(), 0U);
    rig_->peer_finish();
  });
  wait_for([&] { return end_.input_end_count == 1; });
  rig_->on_loop([&] {
    EXPECT_GT(end_.stream->unsent_bytes(), 0U);
    rig_->peer_stall(false);
  });
  wait_for([&] { return rig_->peer_received().size() == bytes.size(); });
  wait_for([&] { return end_.drained_count == 1; });
  rig_->on_loop([&] { EXPECT_EQ(rig_->peer_received(), bytes); });
}

TEST_P(StreamTest, FinishSendsWhatIsUnsentAndReadingGoesOn) {
  open();
  const std::string bytes(rig_->stall_bytes(), 'x');
  rig_->on_loop([&] {
    rig_->peer_stall(true);
    end_.stream->write(bytes);
    end_.stream->finish();
    end_.stream->finish();
    end_.stream->write("not sent");
    rig_->peer_stall(false);
  });
  wait_for([&] { return rig_->peer_saw_end(); });
  rig_->on_loop([&] {
    EXPECT_EQ(rig_->peer_received(), bytes);
    EXPECT_FALSE(end_.closed);
    rig_->peer_write("an answer");
  });
  wait_for([&] { return end_.text == "an answer"; });
  rig_->on_loop([&] { rig_->peer_finish(); });
  wait_for([&] { return end_.closed.has_value(); });
  EXPECT_TRUE(end_.closed->has_value()) << "both sides ended in good order";
  EXPECT_EQ(end_.input_end_count, 1);
}

TEST_P(StreamTest, IsClosedInGoodOrderWhenBothHaveEnded) {
  open();
  end_.when_input_end = [&] {
    end_.stream->write("answer");
    end_.stream->finish();
    EXPECT_FALSE(end_.closed) << "told inside the call";
  };
  rig_->on_loop([&] { rig_->peer_finish(); });
  wait_for([&] { return end_.closed.has_value(); });
  EXPECT_TRUE(end_.closed->has_value());
  wait_for([&] { return rig_->peer_saw_end(); });
  EXPECT_EQ(rig_->peer_received(), "answer");
}

TEST_P(StreamTest, FinishInsideOnConnectedSendsTheBytesBeforeIt) {
  end_.when_connected = [&] {
    end_.stream->write("all of it");
    end_.stream->finish();
  };
  open();
  wait_for([&] { return rig_->peer_saw_end(); });
  rig_->on_loop([&] { EXPECT_EQ(rig_->peer_received(), "all of it"); });
}

TEST_P(StreamTest, APausedStreamKeepsBytesAndTheEndForLater) {
  open();
  rig_->on_loop([&] {
    end_.stream->pause_reading();
    end_.stream->pause_reading();
    rig_->peer_write("bytes");
    rig_->peer_finish();
  });
  some_turns();
  rig_->on_loop([&] {
    EXPECT_EQ(end_.text, "");
    EXPECT_EQ(end_.input_end_count, 0);
    end_.stream->write("still writes");
  });
  wait_for([&] { return rig_->peer_received() == "still writes"; });
  rig_->on_loop([&] {
    end_.stream->resume_reading();
    EXPECT_EQ(end_.text, "") << "told inside the call";
  });
  wait_for([&] { return end_.input_end_count == 1; });
  EXPECT_EQ(end_.text, "bytes");
}

TEST_P(StreamTest, MayBePausedInsideARead) {
  open();
  const std::string bytes(300'000, 'x');
  end_.when_read = [&] { end_.stream->pause_reading(); };
  rig_->on_loop([&] { rig_->peer_write(bytes); });
  wait_for([&] { return !end_.reads.empty(); });
  some_turns();
  rig_->on_loop([&] {
    EXPECT_EQ(end_.reads.size(), 1U);
    end_.when_read = nullptr;
    end_.stream->resume_reading();
  });
  wait_for([&] { return end_.text.size() == bytes.size(); });
}

TEST_P(StreamTest, DrainedComesOnceAfterBytesHadToWait) {
  open();
  rig_->on_loop([&] {
    end_.stream->write("leaves at once");
    rig_->peer_stall(true);
    end_.stream->write(std::string(rig_->stall_bytes(), 'x'));
    end_.stream->write("more");
  });
  some_turns();
  rig_->on_loop([&] {
    EXPECT_EQ(end_.drained_count, 0);
    rig_->peer_stall(false);
  });
  wait_for([&] { return end_.drained_count > 0; });
  some_turns();
  rig_->on_loop([&] {
    EXPECT_EQ(end_.drained_count, 1);
    EXPECT_EQ(end_.stream->unsent_bytes(), 0U);
  });
}

TEST_P(StreamTest, IsSilentAfterClose) {
  open();
  rig_->on_loop([&] {
    rig_->peer_write("bytes");
    end_.stream->close();
    end_.stream->close();
    end_.stream->write("nothing");
    end_.stream->finish();
    end_.stream->pause_reading();
    end_.stream->resume_reading();
    EXPECT_EQ(end_.stream->unsent_bytes(), 0U);
  });
  some_turns();
  rig_->on_loop([&] {
    EXPECT_EQ(end_.text, "");
    EXPECT_EQ(end_.input_end_count, 0);
    EXPECT_FALSE(end_.closed);
  });
}

TEST_P(StreamTest, MayBeDestroyedInsideEveryCall) {
  for (const std::string call : {"connected", "read", "input_end", "drained", "closed"}) {
    SCOPED_TRACE(call);
    const auto rig = GetParam().make();
    Recorder& end = rig->end;
    const auto destroy_end = [&] { end.stream.reset(); };
    if (call == "connected") end.when_connected = destroy_end;
    if (call == "read") end.when_read = destroy_end;
    if (call == "input_end") end.when_input_end = destroy_end;
    if (call == "drained") end.when_drained = destroy_end;
    if (call == "closed") end.when_closed = destroy_end;
    const auto turn_until = [&](const std::function<bool()>& condition) {
      for (bool done = false; !done;) {
        rig->turn();
        rig->on_loop([&] { done = condition(); });
      }
    };
    rig->on_loop([&] { rig->open(); });
    turn_until([&] {
      return end.connected_count == 1 && (end.stream == nullptr || rig->peer_is_ready());
    });
    rig->on_loop([&] {
      if (end.stream == nullptr) return;
      rig->peer_stall(true);
      end.stream->write(std::string(rig->stall_bytes(), 'x'));
      end.stream->finish();
      rig->peer_write("bytes");
      rig->peer_finish();
      rig->peer_stall(false);
    });
    turn_until([&] { return end.stream == nullptr; });
    for (int i = 0; i < 5; ++i) rig->turn();
    rig->on_loop([&] { EXPECT_EQ(end.closed.has_value(), call == "closed"); });
  }
}

INSTANTIATE_TEST_SUITE_P(AllKinds,
                         StreamTest,
                         testing::Values(StreamKind{"FakeClient", &make_rig<FakeClientRig>},
                                         StreamKind{"FakeServer", &make_rig<FakeServerRig>},
                                         StreamKind{"TlsOnFakes", &make_rig<TlsFakeRig>},
                                         StreamKind{"TcpClient", &make_uv_rig<false, false, false>},
                                         StreamKind{"TcpServer", &make_uv_rig<false, false, true>},
                                         StreamKind{"UnixClient", &make_uv_rig<true, false, false>},
                                         StreamKind{"TlsClient", &make_uv_rig<false, true, false>},
                                         StreamKind{"TlsServer", &make_uv_rig<false, true, true>}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace millrace::net
