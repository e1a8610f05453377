#include "server/admin_exchange.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/formats/json_reader.h"
#include "base/problems/message_text.h"
#include "server/pages/json_indent.h"

namespace millrace::server {
namespace {

/// An artifact may be as large as a body; the rest are a few words.
constexpr std::size_t kUploadBytesMax = std::size_t{16} << 20U;
constexpr std::size_t kAdminBytesMax = std::size_t{64} << 10U;

std::unexpected<RequestProblem> bad(std::string_view code, std::string detail) {
  return std::unexpected(RequestProblem{.code = code, .detail = std::move(detail)});
}

bool takes_version(RouteAction action) {
  return action == RouteAction::kPin || action == RouteAction::kCanary;
}

}  // namespace

std::expected<void, RequestProblem> check_no_page(const net::HttpFields& fields) {
  if (!fields.find("Origin")) return {};
  return bad("not_allowed", "Admin routes are not for web pages: send no Origin");
}

std::expected<AdminOrder, RequestProblem> read_admin_body(RouteAction action,
                                                          std::string_view body) {
  AdminOrder order{.action = action};
  if (action == RouteAction::kUpload) {
    if (body.empty()) return bad("missing_field", "The body must be the artifact of the plan");
    order.artifact = body;
    return order;
  }
  base::JsonReader reader({.text_bytes_max = kAdminBytesMax, .depth_max = 4});
  base::JsonDocument document;
  if (auto read = reader.read(body.empty() ? "{}" : body, document); !read)
    return bad("bad_json", read.error().message);
  if (!document.root().is(base::JsonKind::kObject))
    return bad("wrong_type", "The body must be an object");
  bool has_percent = false;
  for (const base::JsonValue member : document.root().children()) {
    if (takes_version(action) && member.key() == "version") {
      if (!member.find_string()) return bad("wrong_type", "'version' must be a string");
      order.version = *member.find_string();
    } else if (action == RouteAction::kCanary && member.key() == "percent") {
      if (!member.find_number()) return bad("wrong_type", "'percent' must be a number");
      order.percent = *member.find_number();
      has_percent = true;
    } else {
      return bad("unknown_field",
                 base::format("No field '{}' is known here", base::shortened(member.key())));
    }
  }
  if (takes_version(action) && order.version.empty())
    return bad("missing_field", "'version' is missing");
  if (action == RouteAction::kCanary && !has_percent)
    return bad("missing_field", "'percent' is missing");
  return order;
}

AdminExchange::HomeJob::HomeJob(AdminExchange& exchange)
    : Job([](Job& job) { static_cast<HomeJob&>(job).owner.deliver(); }), owner(exchange) {}

AdminExchange::AdminExchange(FrontContext& front, const Route& route, Terms terms)
    : front_(front), route_(route), terms_(std::move(terms)), home_job_(*this) {}

void AdminExchange::start(net::HttpExchange& exchange) {
  exchange_ = &exchange;
  asked_ = front_.asked_of(exchange, net::kHttpClientGone);
  const bool is_upload = route_.action == RouteAction::kUpload;
  exchange.receive(*this, {.bytes_max = is_upload ? kUploadBytesMax : kAdminBytesMax});
}

void AdminExchange::on_body_end(std::string_view body) {
  auto order = read_admin_body(route_.action, body);
  is_submitted_ = true;
  if (!order) {
    reply_ = std::unexpected(order.error());
    return deliver();
  }
  order->plan = terms_.plan;
  order->is_dry_run = terms_.is_dry_run;
  front_.services().admin->submit(*std::move(order), [this](AdminDesk::Reply reply) {
    reply_ = std::move(reply);
    front_.services().loop->post(home_job_);
  });
}

void AdminExchange::on_gone(int status) {
  exchange_ = nullptr;
  front_.record_gone(route_.path, asked_, status);
  if (!is_submitted_) front_.give_back(*this);
}

void AdminExchange::deliver() {
  if (net::HttpExchange* const exchange = std::exchange(exchange_, nullptr)) {
    if (!reply_) {
      front_.reply_problem(*exchange, route_.path, reply_.error());
    } else if (terms_.is_pretty) {
      std::string indented;
      append_indented(*reply_, indented);
      front_.reply_page(*exchange, route_, 200, indented);
    } else {
      front_.reply_page(*exchange, route_, 200, *reply_);
    }
  }
  front_.give_back(*this);
}

}  // namespace millrace::server
