// The barest responder on libnats: `nats_echo_responder URL SUBJECT` sends each request back. It
// uses nothing of the engine, so that no change there moves what the engine is compared with.

#include <cstdio>
#include <span>

#include <nats/nats.h>
#include <unistd.h>

namespace {

void echo(natsConnection* connection, natsSubscription*, natsMsg* message, void*) {
  if (const char* const reply = natsMsg_GetReply(message))
    (void)natsConnection_Publish(
        connection, reply, natsMsg_GetData(message), natsMsg_GetDataLength(message));
  natsMsg_Destroy(message);
}

}  // namespace

int main(int count, char** words) {
  const std::span<char*> arguments(words, static_cast<std::size_t>(count));
  if (arguments.size() != 3) {
    std::fputs("nats_echo_responder URL SUBJECT\n", stderr);
    return 2;
  }
  natsOptions* options = nullptr;
  natsConnection* connection = nullptr;
  natsSubscription* subscription = nullptr;
  natsStatus status = natsOptions_Create(&options);
  if (status == NATS_OK) status = natsOptions_SetURL(options, arguments[1]);
  // An answer leaves at once; by default the library waits a millisecond for more.
  if (status == NATS_OK) status = natsOptions_SetSendAsap(options, true);
  if (status == NATS_OK) status = natsConnection_Connect(&connection, options);
  if (status == NATS_OK)
    status = natsConnection_QueueSubscribe(
        &subscription, connection, arguments[2], "echo", &echo, nullptr);
  if (status != NATS_OK) {
    std::fprintf(stderr, "%s\n", natsStatus_GetText(status));
    return 1;
  }
  ::pause();  // until a signal ends it
  return 0;
}
