// Quick start: std::sort code with the namespace changed and a policy added.
#include <gpu/algorithm.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

struct person {
  std::string name;
  int age;
};

int main() {
  std::mt19937 random{1};
  std::vector<float> samples(1'000'000);
  for (float& sample : samples) sample = std::normal_distribution<float>{}(random);

  gpu::sort(gpu::par, samples.begin(), samples.end());
  std::cout << "median " << samples[samples.size() / 2] << '\n';

  gpu::sort(gpu::par, samples, std::ranges::greater{});
  std::cout << "largest " << samples.front() << '\n';

  std::vector<person> people{{"Ada", 36}, {"Grace", 85}, {"Alan", 41}, {"Edsger", 36}};
  gpu::stable_sort(gpu::par, people, {}, &person::age);
  for (const person& p : people) std::cout << p.name << ' ' << p.age << '\n';

  std::vector<int> evens{0, 2, 4, 6, 8}, odds{1, 3, 5}, all(evens.size() + odds.size());
  gpu::merge(gpu::par, evens, odds, all.begin());
  for (int number : all) std::cout << number << ' ';
  std::cout << '\n';

  std::cout << gpu::device_count() << " devices; a sort of the samples runs: " << gpu::explain(gpu::par, samples)
            << '\n';

  const bool right = gpu::is_sorted(gpu::par, samples, std::greater{}) && people[0].name == "Ada" &&
                     people[1].name == "Edsger" && std::ranges::is_sorted(all);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
