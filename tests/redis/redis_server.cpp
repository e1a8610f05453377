#include "redis_server.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace millrace::live {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::uint16_t free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool good = bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                    getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(descriptor);
  if (!good) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

TempFolder::TempFolder() {
  std::string name = (fs::temp_directory_path() / "millrace-redis-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for temporary files");
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TempFolder::write(std::string_view name, std::string_view text) const {
  const fs::path file = fs::path(path_) / name;
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

std::string run_line(const std::string& line) {
  // Safe: one thread of the test calls it, and the test itself wrote the command.
  std::FILE* const pipe = popen(line.c_str(), "r");  // NOLINT(cert-env33-c)
  if (pipe == nullptr) throw std::runtime_error("cannot run: " + line);
  std::string out;
  std::array<char, 4096> block{};
  for (std::size_t size = 0; (size = fread(block.data(), 1, block.size(), pipe)) != 0;) {
    out.append(block.data(), size);
  }
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + line + ": " + out);
  return out;
}

void make_certificates(const TempFolder& folder) {
  const std::string at = "cd '" + folder.path() + "' && ";
  run_line(at +
           "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test-ca "
           "-keyout ca.key -out ca.pem 2>&1");
  run_line(at +
           "openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key "
           "-out server.csr 2>&1");
  folder.write("names.cnf", "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  run_line(at +
           "openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial "
           "-days 2 -extfile names.cnf -out server.pem 2>&1");
}

RedisServer::RedisServer(Options options) : options_(std::move(options)), port_(free_port()) {
  if (options_.tls) {
    make_certificates(folder_);
    tls_port_ = free_port();
  }
  start();
}

RedisServer::~RedisServer() { kill(); }

void RedisServer::start(const std::vector<std::string>& arguments, std::string_view ready) {
  std::vector<std::string> words{"redis-server",
                                 "--port",
                                 std::to_string(port_),
                                 "--bind",
                                 "127.0.0.1",
                                 "--unixsocket",
                                 socket_path(),
                                 "--dir",
                                 folder_.path(),
                                 "--save",
                                 "",
                                 "--appendonly",
                                 "no",
                                 "--daemonize",
                                 "no",
                                 "--enable-debug-command",
                                 "yes"};
  words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
  if (options_.tls) {
    for (const std::string& word : {std::string("--tls-port"),
                                    std::to_string(tls_port_),
                                    std::string("--tls-cert-file"),
                                    file("server.pem"),
                                    std::string("--tls-key-file"),
                                    file("server.key"),
                                    std::string("--tls-ca-cert-file"),
                                    file("ca.pem"),
                                    std::string("--tls-auth-clients"),
                                    std::string("no")}) {
      words.push_back(word);
    }
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = fork();
  if (pid_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // the server ends if the test dies
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  close(ends[1]);
  log_ = ends[0];
  wait_until_said(ready);
}

void RedisServer::wait_until_said(std::string_view text) {
  std::string log;
  std::array<char, 1024> block{};
  while (log.find(text) == std::string::npos) {
    const ssize_t size = read(log_, block.data(), block.size());
    if (size <= 0) {
      kill();
      throw std::runtime_error("redis-server ended: " + log);
    }
    log.append(block.data(), static_cast<std::size_t>(size));
  }
}

void RedisServer::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  close(log_);
  pid_ = -1;
}

void RedisServer::pause() { ::kill(pid_, SIGSTOP); }
void RedisServer::resume() { ::kill(pid_, SIGCONT); }

void RedisServer::load(const std::string& file) const {
  const std::string out =
      run_line("redis-cli -s '" + socket_path() + "' --pipe < '" + file + "' 2>&1");
  if (out.find("errors: 0") == std::string::npos) {
    throw std::runtime_error("redis-cli could not load " + file + ": " + out);
  }
}

std::string RedisServer::cli(const std::string& words) const {
  return run_line("redis-cli -s '" + socket_path() + "' " + words);
}

}  // namespace millrace::live
