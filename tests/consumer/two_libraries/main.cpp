// Links both libraries as usual and calls them in turn and at the same time.
#include <thread>

extern "C" int first_sorts();
extern "C" int second_sorts();

int main() {
  int failures = first_sorts() + second_sorts() + first_sorts();
  int beside = 0;
  std::thread other{[&] { beside = second_sorts(); }};
  failures += first_sorts();
  other.join();
  return failures + beside;
}
