// One program with C++ and CUDA translation units: the same inline function has the same results in both.
#include "mixed.hpp"

#include "support.hpp"

TEST_CASE("mixed: the same inline function from both kinds of units") {
  const std::vector<int> numbers{3, 1, 2, 1};
  const std::vector<std::string> words{"ccc", "a", "bb", "b"};
  auto first = numbers, second = numbers;
  auto first_words = words, second_words = words;
  const auto plain = testing::sort_both(first, first_words);
  const auto device = testing::sort_both_in_device_unit(second, second_words);
  testing::expect(first == std::vector{3, 2, 1, 1} && second == first, "numbers");
  testing::expect(first_words == std::vector<std::string>{"a", "b", "bb", "ccc"} && second_words == first_words,
                  "words");
  testing::expect(plain.where == device.where && plain.how == device.how, "both decide alike");
}
