#include "socket_server.h"

#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <sys/socket.h>

#include "base/check.h"
#include "http_corpus.h"
#include "loop/event_loop.h"
#include "loop/loop_fixture.h"
#include "net/descriptor.h"
#include "net/stream_fixture.h"

namespace millrace::http_tests {

using loop::run_and_wait;

SocketServer::SocketServer(const Options& options) {
  for (std::size_t i = 0; i < options.loop_count; ++i) {
    loops_.push_back(loop::EventLoop::create("http" + std::to_string(i)).value());
    handlers_.push_back(std::make_unique<net::TestHandler>());
    handlers_.back()->body_bytes_max = options.body_bytes_max;
  }
  spreader_ = std::make_unique<net::ConnectionSpreader>(*loops_[0], 100);
  std::vector<net::HttpHandler*> handlers;
  for (std::size_t i = 0; i < options.loop_count; ++i) {
    run_and_wait(*loops_[i], [&] {
      servers_.push_back(
          std::make_unique<net::HttpServer>(net::HttpServer::Parts{.loop = *loops_[i]}));
      spreader_->add_target(*loops_[i], *servers_[i]);
    });
    handlers.push_back(handlers_[i].get());
  }
  run_and_wait(*loops_[0], [&] {
    net::ConnectionSpreader::Port& port = spreader_->add_port(handlers);
    listener_ =
        net::UvListener::listen(*loops_[0], options.address, port, options.listener).value();
    port.set_listener(*listener_);
    address_ = listener_->address();
  });
}

SocketServer::~SocketServer() {
  run_and_wait(*loops_[0], [&] { listener_.reset(); });
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    run_and_wait(*loops_[i], [&] { servers_[i].reset(); });
  }
  for (std::size_t i = loops_.size(); i-- > 0;) loops_[i]->stop();
}

std::size_t SocketServer::request_count() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    run_and_wait(*loops_[i], [&] { count += handlers_[i]->calls.size(); });
  }
  return count;
}

std::string SocketServer::report() const {
  std::ostringstream text;
  for (const auto& server : servers_) {
    const net::HttpServerCells& cells = server->counters();
    text << cells.accepted.value() << " accepted, " << cells.connections.value() << " open, "
         << cells.requests.value() << " requests, " << cells.refused.value() << " refused, "
         << cells.gone.value() << " gone, " << cells.bytes_in.value() << " bytes in, "
         << cells.bytes_out.value() << " bytes out\n";
  }
  return text.str();
}

std::string SocketServer::url(const std::string& scheme) const {
  return scheme + "://" + net::to_string(address_);
}

std::string SocketServer::ask(const std::string& bytes, std::size_t replies, bool closes) const {
  const net::Descriptor client = net::RawClient::connect(address_);
  MR_CHECK(client.is_open());
  std::string text;
  // The server may end the connection before it has read everything; that is no error here.
  (void)::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  while (true) {
    const bool is_head = bytes.starts_with("HEAD");
    const std::vector<int> seen = statuses_of(text, is_head);
    if (!closes && seen.size() == replies && seen.back() != -1) return text;
    const std::string more = net::RawServer::read(client.get(), 1);
    if (more.empty()) return text;
    text += more;
  }
}

}  // namespace millrace::http_tests
