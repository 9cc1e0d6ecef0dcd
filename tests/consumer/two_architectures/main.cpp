// Calls both libraries in turn and at the same time. What one can do, it does whatever the other is built for: with a
// device of either architecture its library sorts, and a library that cannot says so.
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
