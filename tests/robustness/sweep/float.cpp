#include "check_combination.hpp"

template std::string testing::problem_of(const combination&, const std::vector<float>&);
