// expect: projected_elements_have_no_operator_less_so_pass_a_comparator
// Elements, or results of a projection, that have no order.
#include <complex>
#include <vector>

#include "gpu/algorithm.hpp"

struct record {
  std::complex<double> value;
};

void call(std::vector<record>& v) {
#ifdef RIGHT
  gpu::sort(gpu::par, v, {}, [](const record& r) { return std::abs(r.value); });
#else
  gpu::sort(gpu::par, v, {}, &record::value);
#endif
}
