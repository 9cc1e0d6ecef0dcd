// Loads both libraries at run time, each with its symbols kept local.
#include <dlfcn.h>

#include <cstdio>

namespace {

int sorts(const char* library, const char* function) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void* const found = loaded != nullptr ? dlsym(loaded, function) : nullptr;
  if (found == nullptr) return std::puts(dlerror()), 1;
  return reinterpret_cast<int (*)()>(found)();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  return sorts(arguments[1], "first_sorts") + sorts(arguments[2], "second_sorts") + sorts(arguments[1], "first_sorts");
}
