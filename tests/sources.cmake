# The test programs, grouped so that each takes about as long as the others; CTest runs them side by side.
gpupar_test(sort api/sort.cpp api/sizes.cpp)
gpupar_test(codes host/codes.cpp host/radix.cpp)
gpupar_test(paths host/paths.cpp host/orders.cpp)
gpupar_test(algorithms api/algorithms.cpp)
gpupar_test(stable_sort api/stable_sort.cpp api/floats.cpp)
gpupar_test(types api/types.cpp api/elements.cpp)
gpupar_test(iterators api/iterators.cpp api/sort_indexed.cpp)
gpupar_test(columns api/by_key.cpp api/by_key_calls.cpp api/argsort.cpp)
gpupar_test(segmented api/segmented.cpp)
gpupar_test(segmented_by_key api/segmented_by_key.cpp)
gpupar_test(segmented_top_k api/segmented_top_k.cpp)
gpupar_test(compound_keys api/compound_keys.cpp)
gpupar_test(orders api/orders.cpp api/orders_in_calls.cpp)
gpupar_test(wide_keys api/wide_keys.cpp)
gpupar_test(key_columns api/key_columns.cpp api/gather.cpp)
gpupar_test(merge api/merge.cpp api/inplace_merge.cpp api/merge_by_key.cpp)
gpupar_test(multiway_merge api/multiway_merge.cpp)
gpupar_test(is_sorted api/is_sorted.cpp)
gpupar_test(selection api/selection.cpp api/selection_calls.cpp)
gpupar_test(distributed api/distributed.cpp api/distributed_calls.cpp api/distributed_failures.cpp
  api/distributed_division.cpp api/distributed_merge.cpp api/distributed_model.cpp api/devices.cpp api/splitting.cpp)
gpupar_test(division host/division.cpp ${PROJECT_SOURCE_DIR}/src/distributed/division.cpp)  # hidden in shared libraries
target_include_directories(test_division PRIVATE ${PROJECT_SOURCE_DIR}/src)
gpupar_test(choice host/choice.cpp ${PROJECT_SOURCE_DIR}/src/algorithm_choice.cpp)
target_include_directories(test_choice PRIVATE ${PROJECT_SOURCE_DIR}/src)
# Over MPI's ranks, as many as mpirun starts on this machine; as root and with fewer cores, too.
gpupar_find_engine(mpi)
if(TARGET gpupar::mpi)
  gpupar_test(mpi engines/mpi.cpp)
  target_link_libraries(test_mpi PRIVATE gpupar::mpi)
  set(mpi_tests mpi)
  foreach(ranks 2 4)
    add_test(NAME mpi_${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:test_mpi>)
    list(APPEND mpi_tests mpi_${ranks})
  endforeach()
  set_tests_properties(${mpi_tests} PROPERTIES TIMEOUT 300 ENVIRONMENT
    "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1")
else()
  message(STATUS "gpupar: no tests over MPI: ${gpupar_mpi_missing}")
endif()
# Over NCCL's ranks, one per device, where NCCL is found (NCCL_ROOT).
gpupar_find_engine(nccl)
if(TARGET gpupar::nccl)
  gpupar_test(nccl engines/nccl.cpp)
  target_link_libraries(test_nccl PRIVATE gpupar::nccl)
else()
  message(STATUS "gpupar: no tests over NCCL: ${gpupar_nccl_missing}")
endif()
gpupar_test(strings api/strings.cpp api/indirect.cpp)
gpupar_test(conformance api/conformance/sort.cpp api/conformance/callables.cpp api/conformance/merge.cpp
            api/conformance/rows.cpp api/conformance/suites.cpp api/conformance/awkward_iterators.cpp
            api/conformance/neighbours.cpp)
# Whose many instances take longer to optimise than to run; those of neighbours.cpp are only to be compiled.
set_source_files_properties(api/wide_keys.cpp api/compound_keys.cpp api/orders.cpp api/orders_in_calls.cpp
  api/conformance/callables.cpp api/conformance/neighbours.cpp
  PROPERTIES COMPILE_OPTIONS -O0 SKIP_PRECOMPILE_HEADERS ON)
# A dialect of its own, without doctest.
add_executable(test_dialect api/conformance/dialect.cpp)
target_link_libraries(test_dialect PRIVATE gpupar::gpupar)
target_compile_options(test_dialect PRIVATE -fno-exceptions -fno-char8_t -Wall -Wextra -Wpedantic -Wconversion
  -Wno-sign-conversion -Wshadow -Werror)
add_test(NAME dialect COMMAND test_dialect)
gpupar_test(hostile robustness/hostile.cpp robustness/concurrency.cpp robustness/adversaries.cpp)
gpupar_test(throwing robustness/throwing.cpp)
gpupar_test(failures robustness/failures.cpp robustness/failing_new.cpp)
gpupar_test(regressions robustness/regressions.cpp)
gpupar_test(unoptimised api/unoptimised.cpp)
set_source_files_properties(api/unoptimised.cpp PROPERTIES COMPILE_OPTIONS -O0 SKIP_PRECOMPILE_HEADERS ON)
set_tests_properties(unoptimised PROPERTIES RUN_SERIAL ON)
gpupar_test(environments robustness/environments.cpp)
gpupar_test(interface api/policies.cpp api/memory.cpp api/errors.cpp)
gpupar_test(concepts api/concepts.cpp support/distributions.cpp)
gpupar_test(host_data device/staging.cpp device/external.cpp)
gpupar_test(device_sort device/sort.cu device/thrust.cu device/external.cu)
set_source_files_properties(device/per_thread_stream.cu PROPERTIES COMPILE_OPTIONS --default-stream=per-thread
  SKIP_UNITY_BUILD_INCLUSION ON)
gpupar_test(device device/merge.cu device/streams.cu device/graphs.cu device/per_thread_stream.cu device/block.cu
            device/distributions.cu)
gpupar_test(device_neighbours robustness/device_neighbours.cu device/callables.cu device/orders.cu)
gpupar_test(device_architectures device/architectures.cu)
if(TARGET test_device_architectures)
  set_target_properties(test_device_architectures PROPERTIES CUDA_ARCHITECTURES "75;90a")
endif()
gpupar_test(device_large device/large.cu device/large_floats.cu device/mixtures.cu)
gpupar_test(device_threads robustness/device_threads.cu)
gpupar_test(device_hostile robustness/device_hostile.cu)
gpupar_test(device_environments robustness/device_environments.cu)
foreach(folder paths segmented selection)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/device/${folder}/*.cu)
  gpupar_test(device_${folder} ${sources})
endforeach()
# What both compilers make of the same headers, linked together.
set_source_files_properties(api/mixed.cpp api/mixed.cu api/host_lambdas.cu PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
gpupar_test(mixed api/mixed.cpp api/mixed.cu api/host_lambdas.cu)

# Every call of CUDA's runtime fails in turn; once more with a stand-in for the runtime, which needs no GPU.
if(GPUPAR_WITH_CUDA)
  file(READ ${CMAKE_CURRENT_SOURCE_DIR}/robustness/cuda_calls.hpp cuda_calls)
  string(REGEX MATCHALL "CALL\\(cuda[A-Za-z]+" cuda_calls "${cuda_calls}")
  list(TRANSFORM cuda_calls REPLACE "CALL\\(" "-Wl,--wrap=")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS robustness/cuda_calls.hpp)
  add_library(gpupar_failures OBJECT robustness/device_failures.cpp robustness/device_failures_setup.cpp
    robustness/device_failures_large.cpp robustness/device_failures_typed.cu robustness/failing_new.cpp)
  target_link_libraries(gpupar_failures PUBLIC gpupar::cuda doctest::doctest)
  target_include_directories(gpupar_failures PUBLIC support)
  target_compile_definitions(gpupar_failures PUBLIC GPUPAR_TEST_CUDA=1)
  gpupar_warnings(gpupar_failures)
  gpupar_test(device_failures robustness/failing_cuda.cpp)
  gpupar_test(pretended_failures robustness/failing_cuda.cpp robustness/pretended_cuda.cpp)
  foreach(kind device pretended)
    target_link_libraries(test_${kind}_failures PRIVATE gpupar_failures)
    target_link_options(test_${kind}_failures PRIVATE ${cuda_calls})
  endforeach()
  target_compile_definitions(test_pretended_failures PRIVATE GPUPAR_TEST_PRETENDED=1)
  add_test(NAME cuda_calls COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/robustness/check_cuda_calls $<TARGET_FILE:gpupar>)
endif()

# Random calls against the standard's answers: drawn by number, by a corpus, or by libFuzzer (preset "fuzz").
add_library(gpupar_combinations OBJECT robustness/sweep/combination.cpp robustness/sweep/uint8.cpp
  robustness/sweep/int16.cpp robustness/sweep/uint32.cpp robustness/sweep/int64.cpp robustness/sweep/float.cpp
  robustness/sweep/double.cpp)
target_link_libraries(gpupar_combinations PUBLIC gpupar::gpupar doctest::doctest)
target_include_directories(gpupar_combinations PUBLIC support)
target_compile_definitions(gpupar_combinations PUBLIC $<$<BOOL:${GPUPAR_WITH_CUDA}>:GPUPAR_TEST_CUDA=1>)
gpupar_warnings(gpupar_combinations)
gpupar_test(sweep robustness/sweep/sweep.cpp)
target_link_libraries(test_sweep PRIVATE gpupar_combinations)

option(GPUPAR_FUZZ "Build the fuzzer: needs clang and -fsanitize=fuzzer-no-link in CMAKE_CXX_FLAGS" OFF)
function(gpupar_fuzz name)
  add_executable(${name} robustness/fuzz/sorts.cpp support/device_memory.cpp ${ARGN})
  target_link_libraries(${name} PRIVATE gpupar_combinations)
  if(GPUPAR_WITH_CUDA)
    target_link_libraries(${name} PRIVATE CUDA::cudart_static)
  endif()
  gpupar_warnings(${name})
endfunction()
gpupar_fuzz(fuzz_replay robustness/fuzz/replay.cpp)
add_test(NAME fuzz_corpus COMMAND fuzz_replay ${CMAKE_CURRENT_SOURCE_DIR}/robustness/fuzz/corpus 20000)
if(GPUPAR_FUZZ)
  gpupar_fuzz(fuzz_sorts)
  target_link_options(fuzz_sorts PRIVATE -fsanitize=fuzzer)
endif()

# GPUPAR_LOG: what a program prints, and that it prints nothing unless asked.
add_executable(test_log api/log.cpp)
target_link_libraries(test_log PRIVATE gpupar::gpupar)
gpupar_warnings(test_log)
foreach(call "sort of 1000 x 4 bytes" "stable_sort of 1000 x 8 bytes" "sort_by_key of 1000 x 12 bytes"
        "argsort of 1000 x 8 bytes" "merge of 2000 x 4 bytes")
  string(REPLACE " " "_" name "log_${call}")
  add_test(NAME ${name} COMMAND test_log)
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT GPUPAR_LOG=1
    PASS_REGULAR_EXPRESSION "gpupar: ${call} on the host.*: the policy requires the host")
endforeach()
foreach(value "" 0)
  add_test(NAME log_silent_with_${value} COMMAND test_log)
  set_tests_properties(log_silent_with_${value} PROPERTIES
    ENVIRONMENT GPUPAR_LOG=${value}
    FAIL_REGULAR_EXPRESSION "gpupar")
endforeach()

# GPUPAR_COST_MODEL decides where host data are sorted, if there is a device.
add_executable(test_placement api/placement.cpp)
target_link_libraries(test_placement PRIVATE gpupar::gpupar)
gpupar_warnings(test_placement)
set(cost_models "0,1000,1000" "1000000,10,50" "0,0.0001,0.0001")
set(expected_places device host host)
foreach(costs where IN ZIP_LISTS cost_models expected_places)
  set(name placement_${costs})
  add_test(NAME ${name} COMMAND test_placement)
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT GPUPAR_COST_MODEL=${costs}
    SKIP_REGULAR_EXPRESSION "skipped: no device"
    PASS_REGULAR_EXPRESSION "^${where}, .* s there, .* s on the host")
endforeach()

# Programs that must not compile, and what the compiler has to say about them. One stamp per program, so that only what
# changed is checked again.
file(GLOB compile_fail_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/api/compile_fail/*.cpp)
file(GLOB_RECURSE compile_fail_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.hpp)
set(compile_fail_check ${CMAKE_CURRENT_SOURCE_DIR}/api/compile_fail/run.cmake)
set(compile_fail_stamps "")
# The headers are read once for all of them; a compiler that does not know the precompiled ones reads them each time.
set(compile_fail_folder ${CMAKE_CURRENT_BINARY_DIR}/compile_fail)
set(compile_fail_precompiled ${compile_fail_folder}/precompiled.hpp)
file(CONFIGURE OUTPUT ${compile_fail_precompiled} CONTENT "#include \"gpu/algorithm.hpp\"\n")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_custom_command(OUTPUT ${compile_fail_precompiled}.gch
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -I${PROJECT_SOURCE_DIR}/include -x c++-header ${compile_fail_precompiled}
      -o ${compile_fail_precompiled}.gch
    DEPENDS ${compile_fail_precompiled} ${compile_fail_headers}
    COMMENT "Precompiling the headers of programs that do not compile"
    VERBATIM)
  list(APPEND compile_fail_headers ${compile_fail_precompiled}.gch)
endif()
foreach(source ${compile_fail_sources})
  get_filename_component(name ${source} NAME_WE)
  set(stamp ${compile_fail_folder}/${name}.ok)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DSOURCE=${source} -DINCLUDE=${PROJECT_SOURCE_DIR}/include
      -DPRECOMPILED=${compile_fail_precompiled} -P ${compile_fail_check}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${source} ${compile_fail_check} ${compile_fail_headers}
    COMMENT "Checking that ${name}.cpp does not compile"
    VERBATIM)
  list(APPEND compile_fail_stamps ${stamp})
endforeach()
add_custom_target(compile_fail_checks ALL DEPENDS ${compile_fail_stamps})
add_test(NAME compile_fail COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target compile_fail_checks)
set_tests_properties(compile_fail PROPERTIES RESOURCE_LOCK build_folder)
