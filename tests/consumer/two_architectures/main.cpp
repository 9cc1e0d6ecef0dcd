// Calls both libraries in turn and at the same time. Neither depends on what the other is built for: the library built
// for the device's architecture sorts, and one that cannot reports it.
#include <cstdio>
#include <thread>

extern "C" int first_sorts();
extern "C" int second_sorts();

int main() {
  const int first = first_sorts();
  const int second = second_sorts();
  std::printf("first %d, second %d\n", first, second);
  if (first == 2 || second == 2 || (first == 1 && second == 1)) return 1;
  int beside = 0;
  std::thread other{[&] { beside = second_sorts(); }};
  const int again = first_sorts();
  other.join();
  return again == first && beside == second && second_sorts() == second ? 0 : 1;
}
