// Tests in separate processes: for environments that cannot change once CUDA is initialised, and for terminations that
// a test program would not survive.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>

namespace testing {

/// Waits for a child, at most `seconds`. Returns its exit status, or -1 if a signal ended it or time ran out.
inline int wait_for(pid_t child, int seconds) {
  for (int left = seconds * 100; left > 0; --left) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const timespec pause{0, 10'000'000};
    nanosleep(&pause, nullptr);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

/// Forks; the child runs `body`, which returns whether all is well, and ends. Returns whether it reported success
/// within a minute.
template <class Body>
bool well_in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    bool well = false;
    try {
      well = body();
    } catch (...) {
    }
    _exit(well ? 0 : 1);
  }
  return wait_for(child, 60) == 0;
}

/// Runs one case of this program in a new process, with the given variable in its environment (see in_child()).
inline bool well_in_program(const std::string& test_case, const std::string& variable, const std::string& value) {
  const std::string filter = "-tc=" + test_case;
  const pid_t child = fork();
  if (child == 0) {
    setenv(variable.c_str(), value.c_str(), 1);
    setenv("GPUPAR_TEST_CHILD", "1", 1);
    execl("/proc/self/exe", "test", filter.c_str(), "--minimal=true", static_cast<char*>(nullptr));
    _exit(127);
  }
  return wait_for(child, 120) == 0;
}

/// Whether this process was started by well_in_program.
inline bool in_child() { return std::getenv("GPUPAR_TEST_CHILD") != nullptr; }

}  // namespace testing
