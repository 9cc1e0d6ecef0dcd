// The contenders of the tests.
#pragma once

#include <chrono>

namespace bench {

/// How much longer "std_par" takes than "std".
inline constexpr std::chrono::microseconds slowed_by{10'000};

}  // namespace bench
