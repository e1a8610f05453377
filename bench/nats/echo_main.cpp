// The barest responders on libnats, which use nothing of the engine, so that no change there moves
// what the engine is compared with:
//
//   nats_echo_responder URL at-once SUBJECT        sends each request back, in a write of its own
//   nats_echo_responder URL together SUBJECT       leaves it to the library when answers leave
//   nats_echo_responder URL at-once SUBJECT FILE   sends the answer in the file instead: lines of
//                                                  headers as `name: value`, an empty line, data

#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nats/nats.h>
#include <unistd.h>

namespace {

void echo(natsConnection* connection, natsSubscription*, natsMsg* message, void*) {
  if (const char* const reply = natsMsg_GetReply(message))
    (void)natsConnection_Publish(
        connection, reply, natsMsg_GetData(message), natsMsg_GetDataLength(message));
  natsMsg_Destroy(message);
}

struct Answer {
  std::vector<std::pair<std::string, std::string>> headers;
  std::string data;
};

Answer read_answer(const char* path) {
  std::ifstream file(path, std::ios::binary);
  Answer answer;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos)
      answer.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
  }
  answer.data.assign(std::istreambuf_iterator<char>(file), {});
  return answer;
}

void answer_always(natsConnection* connection, natsSubscription*, natsMsg* message, void* closure) {
  const auto& answer = *static_cast<const Answer*>(closure);
  natsMsg* made = nullptr;
  if (const char* const reply = natsMsg_GetReply(message);
      reply != nullptr &&
      natsMsg_Create(
          &made, reply, nullptr, answer.data.data(), static_cast<int>(answer.data.size())) ==
          NATS_OK) {
    for (const auto& [name, value] : answer.headers)
      (void)natsMsgHeader_Add(made, name.c_str(), value.c_str());
    (void)natsConnection_PublishMsg(connection, made);
    natsMsg_Destroy(made);
  }
  natsMsg_Destroy(message);
}

}  // namespace

int main(int count, char** words) {
  const std::span<char*> arguments(words, static_cast<std::size_t>(count));
  if (arguments.size() < 4 || arguments.size() > 5) {
    std::fputs("nats_echo_responder URL at-once|together SUBJECT [FILE]\n", stderr);
    return 2;
  }
  const bool has_answer = arguments.size() == 5;
  Answer answer;
  if (has_answer) answer = read_answer(arguments[4]);
  natsOptions* options = nullptr;
  natsConnection* connection = nullptr;
  natsSubscription* subscription = nullptr;
  natsStatus status = natsOptions_Create(&options);
  if (status == NATS_OK) status = natsOptions_SetURL(options, arguments[1]);
  // Else a thread of the library sends what has come together, a millisecond after the first.
  if (status == NATS_OK)
    status = natsOptions_SetSendAsap(options, std::string_view(arguments[2]) == "at-once");
  if (status == NATS_OK) status = natsConnection_Connect(&connection, options);
  if (status == NATS_OK)
    status = natsConnection_QueueSubscribe(&subscription,
                                           connection,
                                           arguments[3],
                                           "echo",
                                           has_answer ? &answer_always : &echo,
                                           &answer);
  if (status != NATS_OK) {
    std::fprintf(stderr, "%s\n", natsStatus_GetText(status));
    return 1;
  }
  ::pause();  // until a signal ends it
  return 0;
}
