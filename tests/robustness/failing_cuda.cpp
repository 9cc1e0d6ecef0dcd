#include "failing_cuda.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <string_view>

#include "cuda_calls.hpp"

namespace testing {
namespace {

std::atomic<bool> counting{false}, lasting{false}, launches{false};
std::atomic<std::size_t> calls_made{0}, calls_of_work{0}, failing_call{0};
std::atomic<bool> asides_alone{true};  // whether all calls from the failing one on are asides
std::atomic<std::size_t> first_affected{0};
std::atomic<std::ptrdiff_t> live{0};
std::atomic<const char*> failed{nullptr}, newest{"no call"};
std::atomic<int> answer{0};

constexpr bool takes(std::string_view name) {
  return name.starts_with("cudaMalloc") || name == "cudaHostAlloc" || name == "cudaHostRegister" ||
         name == "cudaEventCreateWithFlags" || name == "cudaStreamCreateWithFlags" || name == "cudaMemPoolCreate";
}

constexpr bool gives_back(std::string_view name) {
  return name.starts_with("cudaFree") || name.ends_with("Destroy") || name == "cudaHostUnregister";
}

/// A call that neither works on data nor frees anything: it only sets how a thread interacts with others' captures.
constexpr bool is_aside(std::string_view name) { return name == "cudaThreadExchangeStreamCaptureMode"; }

/// Counts a call and returns whether it must fail.
bool fails_now(const char* name) {
  if (!is_aside(name)) newest = name;
  if (!counting) return false;
  const std::size_t number = calls_made.fetch_add(1);
  if (!gives_back(name) && !is_aside(name)) calls_of_work = number + 1;
  if (number >= failing_call && !is_aside(name) && asides_alone.exchange(false)) first_affected = number;
  if (number < failing_call && std::string_view{name} == "cudaLaunchKernelExC") launches = true;
  if (number < failing_call || (number > failing_call && !lasting)) return false;
  if (number == failing_call) failed = name;
  return true;
}

}  // namespace

failing_cuda_call::failing_cuda_call(std::size_t k, int code, outage how) {
  failed = nullptr;
  answer = code;
  lasting = how == outage::from_then_on;
  launches = false;
  calls_made = calls_of_work = 0;
  failing_call = k;
  asides_alone = true;
  counting = true;
}

failing_cuda_call::~failing_cuda_call() { counting = false; }

std::size_t failing_cuda_call::calls() const { return calls_of_work; }

bool failing_cuda_call::was_last() const { return happened() && !asides_alone && calls_of_work == first_affected + 1; }

bool failing_cuda_call::happened() const { return failed != nullptr; }

bool failing_cuda_call::launched() const { return launches; }

std::string failing_cuda_call::name() const { return happened() ? failed.load() : "no call"; }

std::string failing_cuda_call::latest() { return newest.load(); }

std::ptrdiff_t live_cuda_objects() { return live; }

}  // namespace testing

// Intercepts the driver's functions that the library looks up by name.
namespace testing {
namespace {

decltype(&cuFuncSetAttribute) set_attribute = nullptr;
decltype(&cuFuncGetAttribute) attribute_of = nullptr;

CUresult set_attribute_or_fail(CUfunction function, CUfunction_attribute attribute, int value) {
  return fails_now("cuFuncSetAttribute") ? CUDA_ERROR_INVALID_VALUE : set_attribute(function, attribute, value);
}
CUresult attribute_of_or_fail(int* value, CUfunction_attribute attribute, CUfunction function) {
  return fails_now("cuFuncGetAttribute") ? CUDA_ERROR_INVALID_VALUE : attribute_of(value, attribute, function);
}

template <class Function>
void put_between(void** entry, Function*& real, Function* ours) {
  real = reinterpret_cast<Function*>(*entry);
  *entry = reinterpret_cast<void*>(ours);
}

void follow_up(const char* symbol, void** entry, unsigned, unsigned long long, cudaDriverEntryPointQueryResult*) {
  if (*entry == nullptr) return;
  if (std::string_view{symbol} == "cuFuncSetAttribute") put_between(entry, set_attribute, set_attribute_or_fail);
  if (std::string_view{symbol} == "cuFuncGetAttribute") put_between(entry, attribute_of, attribute_of_or_fail);
}
template <class... Arguments>
void follow_up(const Arguments&...) {}

}  // namespace
}  // namespace testing

// The linker sends calls of NAME to __wrap_NAME, and those of __real_NAME to the runtime.
#ifdef GPUPAR_TEST_PRETENDED
#define REAL(name) pretended_##name
#define LINKAGE
#else
#define REAL(name) __real_##name
#define LINKAGE extern "C"
const bool testing::cuda_is_pretended = false;
#endif
#define WRAP(name, parameters, arguments)                                                        \
  LINKAGE cudaError_t REAL(name) parameters;                                                     \
  extern "C" cudaError_t __wrap_##name parameters {                                              \
    const bool fails = testing::fails_now(#name);                                                \
    if (fails && !testing::gives_back(#name)) return static_cast<cudaError_t>(+testing::answer); \
    const cudaError_t result = REAL(name) arguments;                                             \
    if (result != cudaSuccess) return result;                                                    \
    testing::follow_up arguments;                                                                \
    testing::live += testing::takes(#name) - testing::gives_back(#name);                         \
    return fails ? static_cast<cudaError_t>(+testing::answer) : result;                          \
  }
GPUPAR_CUDA_CALLS(WRAP)
