# cmake -DCASE=… -DSOURCE=… -DROOT=… -DGENERATOR=… [-DNVCC=…] -P configure.cmake
# What a machine or a project that is unlike ours finds when it configures gpupar: one function for each case.
cmake_minimum_required(VERSION 3.25)

# Configures `source` with these arguments into a fresh folder; leaves what cmake says in `said`, its status in `failed`.
function(configure source)
  file(REMOVE_RECURSE ${ROOT}/build)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${ROOT}/build -G ${GENERATOR} ${ARGN}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")  # warnings are wrapped
  set(said "${output}" PARENT_SCOPE)
  set(failed "${status}" PARENT_SCOPE)
endfunction()

function(expect_success)
  if(failed)
    message(FATAL_ERROR "cmake fails: ${said}")
  endif()
endfunction()

function(expect_words words)
  if(NOT said MATCHES "${words}")
    message(FATAL_ERROR "cmake does not say \"${words}\": ${said}")
  endif()
endfunction()

# A project that uses gpupar's sources, with these languages and these lines before.
function(write_parent languages lines)
  file(WRITE ${ROOT}/parent/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\n"
    "project(parent LANGUAGES ${languages})\nset(CMAKE_EXPORT_COMPILE_COMMANDS ON)\n${lines}\n"
    "add_subdirectory(${SOURCE} gpupar)\n")
endfunction()

function(write_program file line)
  file(WRITE ${file} "#!/bin/sh\n${line}\n")
  file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

function(expect_commands pattern)
  file(READ ${ROOT}/build/compile_commands.json commands)
  if(NOT commands MATCHES "${pattern}")
    message(FATAL_ERROR "no command has ${pattern}: ${commands}")
  endif()
endfunction()

# The default preset needs neither doctest nor Ninja.
function(case_default_preset)
  configure(${SOURCE} --preset default -DGPUPAR_CUDA=OFF -DCMAKE_DISABLE_FIND_PACKAGE_doctest=ON)
  expect_success()
  file(READ ${SOURCE}/CMakePresets.json presets)
  string(JSON name GET "${presets}" configurePresets 0 name)
  string(JSON generator ERROR_VARIABLE none GET "${presets}" configurePresets 0 generator)
  if(NOT name STREQUAL default OR NOT generator MATCHES "NOTFOUND")
    message(FATAL_ERROR "preset ${name} wants the generator ${generator}")
  endif()
endfunction()

# A project without a build type gets an optimised library; one that asks for none gets none.
function(case_no_build_type)
  write_parent(CXX "")
  configure(${ROOT}/parent -DGPUPAR_CUDA=OFF)
  expect_success()
  expect_commands(" -O3 [^\n]*plan\\.cpp")
  expect_words("no CMAKE_BUILD_TYPE")
  configure(${ROOT}/parent -DGPUPAR_CUDA=OFF -DCMAKE_CXX_FLAGS=-O0)
  expect_success()
  expect_commands(" -O0 [^\n]*plan\\.cpp")
  if(said MATCHES "no CMAKE_BUILD_TYPE")
    message(FATAL_ERROR "flags that name a level are ignored: ${said}")
  endif()
endfunction()

# An nvcc that cannot compile is as good as none, and is named.
function(case_broken_nvcc)
  set(nvcc ${ROOT}/broken/nvcc)
  write_program(${nvcc} "echo 'nvcc fatal: cannot find the host compiler' >&2; exit 1")
  set(options -DGPUPAR_BUILD_TESTS=OFF -DGPUPAR_BUILD_EXAMPLES=OFF)
  configure(${SOURCE} ${options} -DCMAKE_CUDA_COMPILER=${nvcc})
  expect_success()
  expect_words("host backend alone: ${nvcc} does not work")
  configure(${SOURCE} ${options} -DCMAKE_CUDA_COMPILER=${nvcc} -DGPUPAR_CUDA=ON)
  if(NOT failed)
    message(FATAL_ERROR "GPUPAR_CUDA=ON is content with an nvcc that does not work")
  endif()
  expect_words("GPUPAR_CUDA is ON, but ${nvcc} does not work")
endfunction()

# A project that has enabled CUDA and chosen no architecture leaves the choice to gpupar; another's choice holds.
function(case_parent_with_cuda)
  write_program(${ROOT}/bin/nvidia-smi "echo 12.0")
  set(ENV{PATH} "${ROOT}/bin:$ENV{PATH}")
  write_parent("CXX CUDA" "")
  configure(${ROOT}/parent -DCMAKE_CUDA_COMPILER=${NVCC} -DGPUPAR_CUDA=ON)
  expect_success()
  expect_words("device code for 120")
  write_parent("CXX CUDA" "set(CMAKE_CUDA_ARCHITECTURES 86)")
  configure(${ROOT}/parent -DCMAKE_CUDA_COMPILER=${NVCC} -DGPUPAR_CUDA=ON)
  expect_words("device code for 86")
  write_parent("CXX CUDA" "")
  configure(${ROOT}/parent -DCMAKE_CUDA_COMPILER=${NVCC} -DGPUPAR_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=75)
  expect_words("device code for 75")
endfunction()

# A package without the device backend says so to who asks for it.
function(case_host_package)
  file(WRITE ${ROOT}/parent/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(parent LANGUAGES CXX)\n"
    "find_package(gpupar REQUIRED COMPONENTS cuda)\n")
  configure(${ROOT}/parent -DCMAKE_PREFIX_PATH=${PREFIX})
  if(NOT failed)
    message(FATAL_ERROR "a package for the host alone has component cuda")
  endif()
  expect_words("This gpupar was built for the host alone, without component cuda")
  file(WRITE ${ROOT}/parent/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(parent LANGUAGES CXX)\n"
    "find_package(gpupar REQUIRED OPTIONAL_COMPONENTS cuda)\nmessage(STATUS \"cuda: \${gpupar_cuda_FOUND}\")\n")
  configure(${ROOT}/parent -DCMAKE_PREFIX_PATH=${PREFIX})
  expect_success()
  expect_words("cuda: (OFF|FALSE)")
endfunction()

cmake_language(CALL case_${CASE})
