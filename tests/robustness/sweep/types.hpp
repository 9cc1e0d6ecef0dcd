// The key types of the sweep, by number.
#pragma once

#include <string>

#include "combination.hpp"

namespace testing {

/// Calls body.operator()<Key>() for the type of this number, modulo their number.
template <class Body>
auto with_key_type(std::uint64_t number, Body body) {
  switch (number % 6) {
    case 0:
      return body.template operator()<std::uint8_t>();
    case 1:
      return body.template operator()<std::int16_t>();
    case 2:
      return body.template operator()<std::uint32_t>();
    case 3:
      return body.template operator()<std::int64_t>();
    case 4:
      return body.template operator()<float>();
    default:
      return body.template operator()<double>();
  }
}

}  // namespace testing
