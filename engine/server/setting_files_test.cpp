#include "server/setting_files.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/digest.h"
#include "net/tls_fixture.h"

namespace millrace::server {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What is wrong with a file of keys and with a certificate and its key; empty: there is none.
std::string problems_of(const std::string& keys,
                        const std::string& certificate = "",
                        const std::string& key = "") {
  ServerSettings settings;
  settings.keys_file = keys;
  settings.tls_certificate_file = certificate;
  settings.tls_key_file = key;
  base::ProblemReport report;
  check_setting_files(settings, report);
  return report.to_text();
}

/// A file of keys that goes with the test.
class KeysFile {
 public:
  explicit KeysFile(const std::string& text)
      : path(::testing::TempDir() + "mr_keys_" + std::to_string(getpid()) + ".toml") {
    std::ofstream(path) << text;
  }
  ~KeysFile() { ::unlink(path.c_str()); }
  const std::string path;
};

TEST(SettingFilesTest, S45_FilesThatAStartWouldRefuseAreProblemsOfTheSettings) {
  EXPECT_THAT(problems_of(""), IsEmpty());
  EXPECT_THAT(problems_of("/nowhere/keys.toml"),
              HasSubstr("bad_setting: The file of 'auth.keys_file' cannot be used: "));
  const net::TestCertificates& files = net::TestCertificates::get();
  for (const std::string& key : {files.file("nowhere.key"), files.file("stranger.key")}) {
    EXPECT_THAT(problems_of("", files.file("server.pem"), key),
                HasSubstr("bad_setting: The file of 'tls.cert' cannot be used: "))
        << key;
  }
}

TEST(SettingFilesTest, S45_EachProblemOfKeysHasItsPlace) {
  const KeysFile bad("[[key]]\nname = \"a\"\nsurprise = 1\n");
  const std::string problems = problems_of(bad.path);
  EXPECT_THAT(problems, HasSubstr(bad.path + ":3:1: "));
  EXPECT_THAT(problems, HasSubstr("hash"));
}

TEST(SettingFilesTest, S45_GoodFilesAreNone) {
  const KeysFile keys("[[key]]\nname = \"a\"\nhash = \"" + base::sha256_digest("secret") + "\"\n");
  const net::TestCertificates& files = net::TestCertificates::get();
  EXPECT_THAT(problems_of(keys.path, files.file("server.pem"), files.file("server.key")),
              IsEmpty());
}

}  // namespace
}  // namespace millrace::server
