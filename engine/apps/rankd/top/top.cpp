#include "apps/rankd/top/top.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <unistd.h>

#include "apps/rankd/probe.h"
#include "apps/rankd/top/top_view.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/problems/message_text.h"

namespace millrace::rankd {
namespace {

constexpr base::Duration kAskLimit = std::chrono::seconds(5);
constexpr std::string_view kClearScreen = "\x1b[H\x1b[2J";

struct Look {
  TopSample sample;
  base::TimePoint at;
};

base::Result<Look> look_at(const std::string& address) {
  MR_TRY(const AskedPage page, ask_page(address, "/v1/stats", kAskLimit));
  if (page.status == 401 || page.status == 403)
    return base::fail(base::ErrorCode::kUnavailable, "it wants a key for /v1/stats");
  if (page.status == 404) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "it has no /v1/stats here; if it has an admin listener, ask that one");
  }
  if (page.status != 200)
    return base::fail(base::ErrorCode::kUnavailable,
                      base::format("it answers with status {}", page.status));
  MR_TRY(TopSample sample, read_top_sample(page.body));
  return Look{.sample = std::move(sample), .at = base::steady_clock().now()};
}

int fail_top(const std::string& address, const base::Error& error) {
  const std::string text = base::printable(address) + ": " + base::printable(error.message());
  std::fprintf(stderr, "rankd: the server at %s\n", text.c_str());
  return 1;
}

}  // namespace

int run_top(const Flags& flags, Output& out) {
  const std::string& address = flags.top_address;
  const bool is_json = flags.format_or(Format::kText) == Format::kJson;
  const bool is_screen = isatty(STDOUT_FILENO) == 1 && !flags.top_once && !is_json;
  auto last = look_at(address);
  if (!last) return fail_top(address, last.error());
  while (true) {
    std::this_thread::sleep_for(std::chrono::duration<double>(flags.top_interval));
    auto next = look_at(address);
    if (!next) return fail_top(address, next.error());
    const std::chrono::duration<double> between = next->at - last->at;
    const TopView view = compare(last->sample, next->sample, between.count());
    std::string text = is_screen ? std::string(kClearScreen) : std::string();
    text += is_json ? to_json(view) : to_text(view, address);
    if (!is_screen && !is_json && !flags.top_once) text += '\n';
    if (!out.write(text)) return 1;
    if (flags.top_once) return 0;
    last = std::move(next);
  }
}

}  // namespace millrace::rankd
