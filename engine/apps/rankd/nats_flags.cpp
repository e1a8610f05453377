#include "apps/rankd/nats_flags.h"

#include <cstddef>
#include <string_view>

#include "nats/server_url.h"

namespace millrace::rankd {

void add_nats_options(CLI::App& command, NatsFlags& flags) {
  command
      .add_option_function<std::string>(
          "--nats",
          [&flags](const std::string& list) {
            flags.urls.clear();
            for (std::size_t begin = 0; begin <= list.size();) {
              const std::size_t end = std::min(list.find(',', begin), list.size());
              flags.urls.push_back(list.substr(begin, end - begin));
              begin = end + 1;
            }
          },
          "NATS servers, with commas between them")
      ->required()
      ->check([](const std::string& list) {
        for (std::size_t begin = 0; begin <= list.size();) {
          const std::size_t end = std::min(list.find(',', begin), list.size());
          const auto good = nats::check_server_url(list.substr(begin, end - begin));
          if (!good) return good.error().message();
          begin = end + 1;
        }
        return std::string();
      });
  command.add_option("--nats-creds", flags.credentials_file, "file with the credentials of a user");
}

void add_request_options(CLI::App& command, NatsFlags& flags) {
  add_nats_options(command, flags);
  command.add_option("--nats-prefix", flags.prefix, "begin of subjects")->capture_default_str();
  command.add_option("--plan", flags.plan, "the plan to ask")->required();
  command.add_option("--concurrency", flags.concurrency, "requests under way at a time")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000}))
      ->capture_default_str();
  command.add_option("--timeout_ms,--timeout-ms", flags.timeout_ms, "time for one answer")
      ->check(CLI::Range(1.0, 3'600'000.0))
      ->capture_default_str();
}

nats::LinkSettings link_settings(const NatsFlags& flags,
                                 const std::function<const char*(const char*)>& variable) {
  const auto text = [&](const char* name) {
    const char* const value = variable(name);
    return std::string(value != nullptr ? value : "");
  };
  return {.urls = flags.urls,
          .name = "rankd client",
          .credentials_file =
              flags.credentials_file.empty() ? text("RANKD_NATS_CREDS") : flags.credentials_file,
          .user = text("RANKD_NATS_USER"),
          .password = text("RANKD_NATS_PASSWORD"),
          .tls_ca_file = text("RANKD_NATS_TLS_CA"),
          .tls_certificate_file = text("RANKD_NATS_TLS_CERT"),
          .tls_key_file = text("RANKD_NATS_TLS_KEY")};
}

}  // namespace millrace::rankd
