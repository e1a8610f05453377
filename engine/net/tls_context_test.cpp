#include "net/tls_context.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"
#include "net/stream.h"
#include "net/tls_fixture.h"

namespace millrace::net {
namespace {

TEST(TlsContextTest, ReadsItsFilesOnce) {
  EXPECT_TRUE(TlsContext::make(TestCertificates::get().client(), TlsRole::kClient));
  EXPECT_TRUE(TlsContext::make(TestCertificates::get().server(), TlsRole::kServer));
  EXPECT_TRUE(TlsContext::make({}, TlsRole::kClient)) << "the system's authorities";
}

void expect_refused(const TlsOptions& options, TlsRole role, const std::string& message) {
  const auto context = TlsContext::make(options, role);
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().code(), base::ErrorCode::kInvalidArgument);
  EXPECT_TRUE(context.error().message().starts_with(message)) << context.error().message();
}

TEST(TlsContextTest, SaysWhichFileIsBad) {
  const TestCertificates& made = TestCertificates::get();
  expect_refused(
      {.ca_file = "no_such_file"}, TlsRole::kClient, "Cannot read the certificate authorities: ");
  TlsOptions server = made.server();
  server.key_file = made.file("ca.key");
  expect_refused(server, TlsRole::kServer, "Cannot use the private key: key values mismatch");
  server.certificate_file = made.file("names");
  expect_refused(server, TlsRole::kServer, "Cannot read the certificate: ");
  expect_refused({}, TlsRole::kServer, "A TLS server needs a certificate");
}

TEST(TlsContextTest, AClientMustKnowWhomItTalksTo) {
  const auto context = TlsContext::make(TestCertificates::get().client(), TlsRole::kClient).value();
  const auto ssl = context->open("");
  ASSERT_FALSE(ssl);
  EXPECT_EQ(ssl.error().message(), "TLS to a unix socket needs a server name");
  EXPECT_TRUE(context->open("localhost"));
  EXPECT_TRUE(context->open("::1"));
}

}  // namespace
}  // namespace millrace::net
