#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include "net/stream_rig_fixture.h"

// Streams over TLS 1.2, whose rules for the end of one direction are others than those of TLS 1.3.
// This is a program of its own, because OpenSSL reads its settings once per process.

namespace millrace::net {
namespace {

/// Lets OpenSSL read settings under which nobody speaks TLS 1.3.
bool without_tls_1_3() {
  const std::string path = testing::TempDir() + "mr_tls_1_2_" + std::to_string(getpid()) + ".cnf";
  std::ofstream(path) << "openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\n"
                         "system_default = limits\n[limits]\nMaxProtocol = TLSv1.2\n";
  setenv("OPENSSL_CONF", path.c_str(), 1);
  const bool is_read = OPENSSL_init_ssl(OPENSSL_INIT_LOAD_CONFIG, nullptr) == 1;
  // The certificates of tests are made by a program that has settings of its own.
  unsetenv("OPENSSL_CONF");
  unlink(path.c_str());
  return is_read;
}

class Tls12Test : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_TRUE(without_tls_1_3());
    SSL_CTX* const context = SSL_CTX_new(TLS_method());
    ASSERT_NE(context, nullptr);
    EXPECT_EQ(SSL_CTX_get_max_proto_version(context), TLS1_2_VERSION);
    SSL_CTX_free(context);
  }
  void open() {
    rig_.open();
    rig_.turn();
    ASSERT_EQ(rig_.end.connected_count, 1);
  }

  TlsFakeRig rig_;
};

TEST_F(Tls12Test, APeerThatHasEndedItsSideStillGetsWhatIsWritten) {
  open();
  rig_.peer_write("question");
  rig_.peer_finish();
  rig_.turn();
  EXPECT_EQ(rig_.end.text, "question");
  EXPECT_EQ(rig_.end.input_end_count, 1);
  EXPECT_FALSE(rig_.end.closed);
  rig_.end.stream->write("first part");
  rig_.turn();
  rig_.end.stream->write(", second part");
  rig_.turn();
  EXPECT_EQ(rig_.peer_received(), "first part, second part");
  rig_.end.stream->finish();
  rig_.turn();
  EXPECT_TRUE(rig_.peer_saw_end());
}

TEST_F(Tls12Test, AStreamThatHasEndedItsSideStillReads) {
  open();
  rig_.end.stream->write("question");
  rig_.end.stream->finish();
  rig_.turn();
  EXPECT_TRUE(rig_.peer_saw_end());
  EXPECT_EQ(rig_.peer_received(), "question");
  // More than one record, so that reading goes on between them.
  const std::string answer(100'000, 'a');
  rig_.peer_write(answer);
  rig_.turn();
  EXPECT_EQ(rig_.end.text, answer);
  EXPECT_EQ(rig_.end.input_end_count, 0);
  rig_.peer_finish();
  rig_.turn();
  EXPECT_EQ(rig_.end.input_end_count, 1);
}

TEST_F(Tls12Test, IsClosedInGoodOrderWhenBothHaveEnded) {
  open();
  rig_.peer_finish();
  rig_.end.stream->finish();
  rig_.turn();
  ASSERT_TRUE(rig_.end.closed);
  EXPECT_TRUE(rig_.end.closed->has_value()) << rig_.end.error().message();
}

}  // namespace
}  // namespace millrace::net
