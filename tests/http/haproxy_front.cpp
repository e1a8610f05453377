#include "haproxy_front.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/format.h"
#include "http_corpus.h"
#include "net/descriptor.h"
#include "net/stream_fixture.h"

namespace millrace::http_tests {
namespace {

/// A socket that listens already: whoever connects before HAProxy runs waits in its queue.
int listen_on_loopback(net::Address& address) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  MR_CHECK(bind(descriptor, reinterpret_cast<sockaddr*>(&where), size) == 0);
  MR_CHECK(listen(descriptor, 100) == 0);
  MR_CHECK(getsockname(descriptor, reinterpret_cast<sockaddr*>(&where), &size) == 0);
  address = {.host = "127.0.0.1", .port = ntohs(where.sin_port)};
  return descriptor;
}

}  // namespace

HaproxyFront::HaproxyFront(const net::Address& server) {
  const int listening = listen_on_loopback(address_);
  folder_ = (std::filesystem::temp_directory_path() / "millrace-haproxy-XXXXXX").string();
  MR_CHECK(mkdtemp(folder_.data()) != nullptr);
  const std::string file = folder_ + "/haproxy.cfg";
  std::ofstream(file) << base::format(
      "global\n  maxconn 100\n"
      "defaults\n  mode http\n  timeout connect 5s\n  timeout client 20s\n  timeout server 20s\n"
      "frontend f\n  bind fd@{}\n  default_backend b\n"
      "backend b\n  http-reuse always\n  server s {}\n",
      listening,
      net::to_string(server));
  pid_ = fork();
  MR_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execlp("haproxy", "haproxy", "-q", "-db", "-f", file.c_str(), nullptr);
    _exit(127);
  }
  close(listening);
}

HaproxyFront::~HaproxyFront() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string HaproxyFront::ask(const std::string& bytes, std::size_t answer_count) const {
  const net::Descriptor client = net::RawClient::connect(address_);
  MR_CHECK(client.is_open());
  const bool head = bytes.starts_with("HEAD");
  // It may end the connection before it has read everything; that is no error here.
  (void)::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::string text;
  for (bool is_ended = false;;) {
    const std::vector<int> statuses = statuses_of(text, head);
    // -1 stands for an answer that is cut off so far.
    const auto begun = statuses.size() - static_cast<std::size_t>(std::ranges::count(statuses, -1));
    if (!is_ended && begun >= answer_count) {
      (void)::shutdown(client.get(), SHUT_WR);
      is_ended = true;
    }
    const std::string more = net::RawServer::read(client.get(), 1);
    if (more.empty()) return text;
    text += more;
  }
}

}  // namespace millrace::http_tests
