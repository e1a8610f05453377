#include "base/sync/thread_settings.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/format.h"

namespace millrace::base {
namespace {

constexpr std::size_t kNameMax = 15;

ThreadSettingOutcome set_name(const std::string& wanted) {
  const std::string name = wanted.substr(0, kNameMax);
  const int error = pthread_setname_np(pthread_self(), name.c_str());
  std::array<char, kNameMax + 1> buffer{};
  static_cast<void>(pthread_getname_np(pthread_self(), buffer.data(), buffer.size()));
  return {.field = "thread_name", .requested = name, .effective = buffer.data(), .error = error};
}

std::string cpus_text(const std::vector<int>& cpus) {
  std::string text;
  for (const int cpu : cpus) text += format("{}{}", text.empty() ? "" : ",", cpu);
  return text;
}

ThreadSettingOutcome set_cpus(std::vector<int> cpus) {
  std::ranges::sort(cpus);
  const auto repeated = std::ranges::unique(cpus);
  cpus.erase(repeated.begin(), repeated.end());
  ThreadSettingOutcome outcome{.field = "cpu_affinity", .requested = cpus_text(cpus)};
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) outcome.error = EINVAL;
    if (outcome.error == 0) CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  if (outcome.error == 0) outcome.error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  CPU_ZERO(&set);
  static_cast<void>(pthread_getaffinity_np(pthread_self(), sizeof set, &set));
  std::vector<int> found;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) found.push_back(cpu);
  }
  outcome.effective = cpus_text(found);
  return outcome;
}

ThreadSettingOutcome set_nice(int nice) {
  // On Linux the priority of a thread id is that of the thread alone.
  const auto id = static_cast<id_t>(gettid());
  ThreadSettingOutcome outcome{.field = "nice_priority", .requested = format("{}", nice)};
  if (setpriority(PRIO_PROCESS, id, nice) != 0) outcome.error = errno;
  outcome.effective = format("{}", getpriority(PRIO_PROCESS, id));
  return outcome;
}

std::string policy_text(int policy, int priority) {
  if (policy == SCHED_FIFO) return format("fifo {}", priority);
  if (policy == SCHED_RR) return format("rr {}", priority);
  return "none";
}

ThreadSettingOutcome set_policy(ThreadPolicy policy, int priority) {
  const int wanted = policy == ThreadPolicy::kFifo ? SCHED_FIFO : SCHED_RR;
  ThreadSettingOutcome outcome{.field = "rt_policy", .requested = policy_text(wanted, priority)};
  sched_param parameters{};
  parameters.sched_priority = priority;
  outcome.error = pthread_setschedparam(pthread_self(), wanted, &parameters);
  int found = SCHED_OTHER;
  static_cast<void>(pthread_getschedparam(pthread_self(), &found, &parameters));
  outcome.effective = policy_text(found, parameters.sched_priority);
  return outcome;
}

}  // namespace

std::vector<ThreadSettingOutcome> apply_thread_settings(const ThreadSettings& settings) {
  std::vector<ThreadSettingOutcome> outcomes;
  if (!settings.name.empty()) outcomes.push_back(set_name(settings.name));
  if (!settings.cpus.empty()) outcomes.push_back(set_cpus(settings.cpus));
  if (settings.nice != 0) outcomes.push_back(set_nice(settings.nice));
  if (settings.policy != ThreadPolicy::kNormal) {
    outcomes.push_back(set_policy(settings.policy, settings.policy_priority));
  }
  return outcomes;
}

}  // namespace millrace::base
