#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/check.h"
#include "net/stream.h"

namespace millrace::net {

/// Certificates for tests, made when first asked for: an authority, and what it signed.
class TestCertificates {
 public:
  static const TestCertificates& get() {
    static const TestCertificates certificates;
    return certificates;
  }

  /// A server that proves to be localhost and 127.0.0.1.
  [[nodiscard]] TlsOptions server() const {
    return {.certificate_file = file("server.pem"), .key_file = file("server.key")};
  }
  /// A client that trusts the authority.
  [[nodiscard]] TlsOptions client() const { return {.ca_file = file("ca.pem")}; }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + name; }

 private:
  TestCertificates() : folder_(testing::TempDir() + "mr_tls_" + std::to_string(getpid()) + "/") {
    run("mkdir -p " + folder_);
    std::ofstream(file("names")) << "subjectAltName=DNS:localhost,IP:127.0.0.1\n";
    make_authority("ca");
    make_authority("stranger");
    run("openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=server -keyout " +
        file("server.key") + " -out " + file("server.csr"));
    run("openssl x509 -req -days 2 -in " + file("server.csr") + " -CA " + file("ca.pem") +
        " -CAkey " + file("ca.key") + " -CAcreateserial -extfile " + file("names") + " -out " +
        file("server.pem"));
  }
  ~TestCertificates() { run("rm -r " + folder_); }

  void make_authority(const std::string& name) const {
    run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=" +
        name + " -keyout " + file(name + ".key") + " -out " + file(name + ".pem"));
  }
  static void run(const std::string& command) {
    const int status = std::system((command + " 2>/dev/null").c_str());  // NOLINT: only in tests
    MR_CHECK(status == 0, command);
  }

  const std::string folder_;
};

}  // namespace millrace::net
