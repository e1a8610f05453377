#include "nats_server.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace millrace::live {
namespace {

constexpr std::size_t kWordsMax = 2000;

}  // namespace

NatsServer::NatsServer(Options options) : options_(std::move(options)), port_(free_port()) {
  std::string config = "host: 127.0.0.1\nport: " + std::to_string(port_) + "\n";
  if (options_.jetstream)
    config += "jetstream { store_dir: \"" + folder_.path() + "\", max_mem: 64MB, " +
              options_.store_limits + " }\n";
  if (options_.tls) {
    make_certificates(folder_);
    config += "tls { cert_file: \"" + file("server.pem") + "\", key_file: \"" + file("server.key") +
              "\" }\n";
  }
  if (options_.has_operator) {
    run_line("python3 " MILLRACE_SOURCE_DIR "/tests/nats/make_credentials.py " + folder_.path());
    config += "include \"operator.conf\"\n";
  }
  folder_.write("nats.conf", config + options_.config);
  start();
}

NatsServer::~NatsServer() { kill(); }

void NatsServer::start() {
  const std::string config = file("nats.conf");
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = fork();
  if (pid_ == 0) {
    dup2(ends[1], STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // the server ends if the test dies
    execlp("nats-server", "nats-server", "-c", config.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string log;
  std::array<char, 1024> block{};
  while (log.find("Server is ready") == std::string::npos) {
    const ssize_t size = read(ends[0], block.data(), block.size());
    if (size <= 0) {
      close(ends[0]);
      kill();
      throw std::runtime_error("nats-server ended: " + log);
    }
    log.append(block.data(), static_cast<std::size_t>(size));
  }
  listener_ = std::thread([this, end = ends[0]] { listen(end); });
}

void NatsServer::listen(int log) {
  std::array<char, 1024> block{};
  for (ssize_t size = 0; (size = read(log, block.data(), block.size())) > 0;) {
    const base::MutexLock lock(mutex_);
    words_.append(block.data(), static_cast<std::size_t>(size));
    words_.erase(0, words_.size() - std::min(words_.size(), kWordsMax));
  }
  close(log);
}

std::string NatsServer::last_words() const {
  const base::MutexLock lock(mutex_);
  return words_;
}

void NatsServer::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  if (listener_.joinable()) listener_.join();
}

void NatsServer::pause() { ::kill(pid_, SIGSTOP); }
void NatsServer::resume() { ::kill(pid_, SIGCONT); }

}  // namespace millrace::live
