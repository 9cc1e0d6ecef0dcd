// Stand-ins for builds without CUDA: there is no device, and functions that need one are never called.
#include <new>

#include "device.hpp"
#include "inputs.hpp"

namespace bench {

bool has_device() { return false; }
void* allocate_device(std::size_t) { throw std::bad_alloc{}; }
void deallocate_device(void*) noexcept {}
std::size_t l2_bytes() { return 0; }
std::unique_ptr<clock> make_event_clock() { return {}; }
std::map<std::string, std::string> device_facts() { return {}; }
std::unique_ptr<inputs> make_device_inputs(const problem&, arena&) { return {}; }

}  // namespace bench
