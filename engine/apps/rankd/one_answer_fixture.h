#pragma once

#include <cerrno>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <sys/socket.h>

#include "net/address.h"
#include "net/listening_socket.h"

// For tests only: a server that says what it was told to.

namespace millrace::rankd::testing {

/// Answers one connection after another, each with a text.
struct OneAnswer {
  explicit OneAnswer(std::string text) : OneAnswer(std::vector<std::string>{std::move(text)}) {}
  explicit OneAnswer(std::vector<std::string> texts)
      : socket(*net::ListeningSocket::open(*net::parse_listen_address("127.0.0.1:0"))),
        thread([this, answers = std::move(texts)] {
          for (const std::string& answer : answers) give(answer);
        }) {}
  ~OneAnswer() { thread.join(); }
  [[nodiscard]] std::string address() const { return net::to_string(socket.address()); }

  void give(const std::string& answer) {
    while (true) {
      auto accepted = socket.accept();
      if (auto* const peer = std::get_if<net::ListeningSocket::Accepted>(&accepted)) {
        ::send(peer->descriptor.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
        ::shutdown(peer->descriptor.get(), SHUT_WR);
        char byte = 0;
        while (::recv(peer->descriptor.get(), &byte, 1, 0) != 0 && errno != ECONNRESET) {
        }
        return;
      }
      std::this_thread::yield();
    }
  }

  net::ListeningSocket socket;
  std::thread thread;
};

}  // namespace millrace::rankd::testing
