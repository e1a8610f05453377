#include "bridge/http_poll_component.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "bridge/http_link.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/compile/component_registry.h"
#include "graph/compile/descriptor.h"
#include "graph/components/config_reading.h"
#include "graph/payload.h"
#include "net/http_message.h"

namespace millrace::bridge {
namespace {

using graph::Payload;
using graph::PayloadMember;

constexpr std::int64_t kBytesDefault = std::int64_t{1} << 20U;

std::string find_url_fault(std::string_view text) {
  const auto place = parse_http_place(text);
  return place ? std::string() : place.error().message();
}

/// The JSON value that a body is, or its text.
Payload body_payload(const std::string& body) {
  auto value = Payload::parse(body);
  return value ? *std::move(value) : Payload(body);
}

/// `http.poll`: gets a page at each invocation and publishes it.
class HttpPollComponent final : public graph::Component {
 public:
  explicit HttpPollComponent(HttpLinkFactory links) : links_(std::move(links)) {}

  base::Status configure(const graph::ComponentSetup& setup) override {
    const Payload* url = setup.config.find_member("url");
    MR_TRY(settings_.place, parse_http_place(url == nullptr ? "" : url->find_text().value_or("")));
    settings_.timeout = graph::read_duration(setup.config, "timeout", std::chrono::seconds(1));
    settings_.body_bytes_max =
        static_cast<std::size_t>(graph::read_int(setup.config, "max_bytes", kBytesDefault));
    changes_only_ = graph::read_flag(setup.config, "changes_only");
    has_status_ = setup.find_output("status").has_value();
    return {};
  }

  base::Status execute(const graph::Invocation&, graph::GraphContext& context) override {
    auto page = context.ask([this] { return get_page(); });
    const bool is_up = page.has_value();
    // A page that never came is a mistake in the file, unless somebody listens to `status`.
    if (!is_up && !is_up_ && !has_status_) return std::unexpected(page.error());
    if (is_up_ != is_up) {
      is_up_ = is_up;
      std::vector<PayloadMember> members{{.name = "ok", .value = Payload(is_up)}};
      if (!is_up) members.push_back({.name = "problem", .value = Payload(page.error().message())});
      context.publish("status", Payload::object(std::move(members)));
    }
    if (!is_up) return {};
    if (changes_only_ && last_ == *page) return {};
    last_ = *page;
    context.publish("out", *std::move(page));
    return {};
  }

 private:
  base::Result<Payload> get_page() {
    // Connections are opened here and not in `activate`, so that a replay opens none.
    if (link_ == nullptr) {
      MR_TRY(link_, links_(settings_));
    }
    MR_TRY(const net::HttpReply reply, link_->get());
    if (reply.status < 200 || reply.status > 299) {
      return base::fail(base::ErrorCode::kUnavailable,
                        base::format("The server answered with status {}", reply.status));
    }
    return body_payload(reply.body);
  }

  const HttpLinkFactory links_;
  HttpLinkSettings settings_;
  std::unique_ptr<HttpLink> link_;
  bool changes_only_ = false;
  bool has_status_ = false;
  std::optional<bool> is_up_;
  std::optional<Payload> last_;
};

}  // namespace

base::Status register_http_poll_component(graph::ComponentRegistry& registry,
                                          HttpLinkFactory links) {
  graph::ComponentDescriptor type{
      .type = "http.poll",
      .about = "gets a page at each invocation and publishes its body",
      .role = graph::BoundaryRole::kInput,
      .outputs = {{.name = "out"}, {.name = "status"}},
      .config = {{.name = "url",
                  .kind = graph::ConfigKind::kText,
                  .about = "http://HOST:PORT/PATH",
                  .is_required = true,
                  .find_fault = &find_url_fault},
                 {.name = "timeout",
                  .kind = graph::ConfigKind::kDuration,
                  .about = "for the whole exchange",
                  .default_text = "\"1s\""},
                 {.name = "max_bytes",
                  .about = "largest body",
                  .default_text = std::to_string(kBytesDefault),
                  .min = 1,
                  .max = std::int64_t{64} << 20U},
                 {.name = "changes_only",
                  .kind = graph::ConfigKind::kBool,
                  .about = "publish only what differs from the last body",
                  .default_text = "false"}}};
  return registry.add(std::move(type),
                      [links] { return std::make_unique<HttpPollComponent>(links); });
}

}  // namespace millrace::bridge
