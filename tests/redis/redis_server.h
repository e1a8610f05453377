#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace millrace::live {

/// A folder that is removed when this object is destroyed.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes a file and gives its path.
  std::string write(std::string_view name, std::string_view text) const;

 private:
  std::string path_;
};

/// Gives a port of 127.0.0.1 on which nobody listens.
std::uint16_t free_port();

/// Runs a shell command that must succeed; gives its output.
std::string run_line(const std::string& line);

/// Makes a certificate authority (`ca.pem`) and a server's certificate for localhost
/// (`server.pem`, `server.key`) in a folder.
void make_certificates(const TempFolder& folder);

/// A real redis-server in its own folder, on a free port of 127.0.0.1 and a unix socket. Throws if
/// it cannot be started.
/// Threading: not shared. Lifetime: its destructor ends the server.
class RedisServer {
 public:
  struct Options {
    std::vector<std::string> arguments = {};  ///< added to those that every test needs
    bool tls = false;                         ///< also on `tls_port`, with its own certificates
  };

  RedisServer() : RedisServer(Options{}) {}
  explicit RedisServer(Options options);
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::uint16_t tls_port() const { return tls_port_; }
  [[nodiscard]] std::string socket_path() const { return folder_.path() + "/redis.sock"; }
  [[nodiscard]] std::string file(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  [[nodiscard]] const TempFolder& folder() const { return folder_; }

  /// Sends the commands of a file to the server, as `redis-cli --pipe < FILE` does.
  void load(const std::string& file) const;
  /// Runs one command with redis-cli and gives its output.
  std::string cli(const std::string& words) const;

  void kill();  ///< SIGKILL: at once, without closing connections
  /// Starts it again on the same port and socket: empty, unless it has saved its data. Waits until
  /// the log of the server contains `ready`.
  void start(const std::vector<std::string>& arguments = {},
             std::string_view ready = "Ready to accept connections");
  void pause();   ///< SIGSTOP
  void resume();  ///< SIGCONT

 private:
  /// Reads the log of the server until it contains `text`.
  void wait_until_said(std::string_view text);

  Options options_;
  TempFolder folder_;
  std::uint16_t port_ = 0;
  std::uint16_t tls_port_ = 0;
  pid_t pid_ = -1;
  int log_ = -1;
};

}  // namespace millrace::live
