// The answer of a run as a future: for a thread that has other things to do meanwhile, and for a
// task on the event loop, which must not wait.

// snippet-begin: future
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <millrace/millrace.h>

using namespace millrace;

struct Letter {
  std::string name;
  std::string text = {};
};
using Answer = base::Result<std::shared_ptr<Letter>>;

// A task on the loop starts a run and goes on, on the loop, when its answer is there.
loop::Task<Answer> write_letter(const runtime::Flow<Letter>* flow,
                                runtime::WorkerPool* pool,
                                std::string name) {
  auto letter = std::make_shared<Letter>(Letter{.name = std::move(name)});
  MR_CO_TRY(runtime::Future<Letter> future, flow->start(*pool, letter));
  co_return co_await std::move(future);
}

int main() {
  runtime::FlowBuilder<Letter> builder;
  builder.cpu("greet", [](Letter& letter) -> base::Status {
    if (letter.name.empty())
      return base::fail(base::ErrorCode::kInvalidArgument, "The name is empty");
    letter.text = "Dear " + letter.name;
    return {};
  });
  const auto flow = builder.build();
  auto events = loop::EventLoop::create();
  auto pool = runtime::WorkerPool::create({.compute_threads = 2});
  if (!flow || !events || !pool) return 1;

  // On a thread: start, do something else, then get. The thread helps the pool while it waits.
  auto future = flow->start(**pool, std::make_shared<Letter>(Letter{.name = "Ada"}));
  if (!future) return 1;
  const Answer ada = std::move(*future).get();
  if (!ada) return 1;
  std::printf("thread: %s\n", (*ada)->text.c_str());

  // A run that failed gives its error and no letter.
  auto nameless = flow->start(**pool, std::make_shared<Letter>());
  if (!nameless) return 1;
  const Answer nobody = std::move(*nameless).get();
  std::printf("thread: %s\n", nobody ? "?" : nobody.error().to_string().c_str());

  // In a task: co_await. Only this program's main thread waits here, until the task has ended.
  struct Done : loop::Completion<Answer> {
    Done() : Completion(&Done::ended) { open.add(1); }
    static void ended(Completion& self, Answer answer) {
      if (answer) std::printf("task: %s\n", (*answer)->text.c_str());
      static_cast<Done&>(self).open.done();
    }
    runtime::WaitGroup open;
  } done;
  loop::start(**events, write_letter(&*flow, pool->get(), "Grace"), done);
  (*pool)->help_until_done(done.open);
  return nobody ? 1 : 0;
}
// snippet-end: future
