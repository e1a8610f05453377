// The barest responder on the library: `nats_echo_responder URL SUBJECT` sends each request back.

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>

#include <unistd.h>

#include "nats/library_link.h"
#include "nats/link.h"
#include "nats/message.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace): this file is the program

class Echo final : public nats::MessageSink {
 public:
  explicit Echo(nats::Link& link) : link_(link) {}
  void on_message(nats::Message message) override {
    (void)link_.publish({.subject = std::move(message.reply), .data = std::move(message.data)});
  }

 private:
  nats::Link& link_;
};

}  // namespace

int main(int count, char** words) {
  const std::span<char*> arguments(words, static_cast<std::size_t>(count));
  if (arguments.size() != 3) {
    std::fputs("nats_echo_responder URL SUBJECT\n", stderr);
    return 2;
  }
  nats::LinkObserver observer;
  const auto link = nats::open_link({.urls = {arguments[1]}, .name = "echo"}, observer);
  if (!link) {
    std::fprintf(stderr, "%s\n", link.error().message().c_str());
    return 1;
  }
  Echo echo(**link);
  const auto subscription = (*link)->subscribe(arguments[2], "echo", echo);
  if (!subscription) return 1;
  ::pause();  // until a signal ends it
  return 0;
}
