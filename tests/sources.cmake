# The test programs, grouped so that each takes about as long as the others; CTest runs them side by side.
gpupar_test(sort sort.cpp sizes.cpp)
gpupar_test(algorithms algorithms.cpp)
gpupar_test(stable_sort stable_sort.cpp floats.cpp)
gpupar_test(types types.cpp elements.cpp)
gpupar_test(iterators iterators.cpp sort_indexed.cpp)
gpupar_test(columns by_key.cpp argsort.cpp)
gpupar_test(merge merge.cpp inplace_merge.cpp merge_by_key.cpp)
gpupar_test(multiway_merge multiway_merge.cpp)
gpupar_test(is_sorted is_sorted.cpp)
gpupar_test(strings strings.cpp indirect.cpp)
gpupar_test(conformance conformance/sort.cpp conformance/callables.cpp conformance/merge.cpp)
gpupar_test(hostile hostile.cpp concurrency.cpp)
gpupar_test(interface policies.cpp memory.cpp errors.cpp)
gpupar_test(concepts concepts.cpp distributions.cpp)
gpupar_test(device_sort device_sort.cu)
gpupar_test(device device_merge.cu device_streams.cu device_block.cu device_large.cu device_distributions.cu)
gpupar_test(mixed mixed.cpp mixed.cu)

# GPUPAR_LOG: what a program prints, and that it prints nothing unless asked.
add_executable(test_log log.cpp)
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

# Programs that must not compile, and what the compiler has to say about them. One stamp per program, so that only what
# changed is checked again.
file(GLOB compile_fail_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/*.cpp)
file(GLOB_RECURSE compile_fail_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.hpp)
set(compile_fail_check ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/run.cmake)
set(compile_fail_stamps "")
foreach(source ${compile_fail_sources})
  get_filename_component(name ${source} NAME_WE)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/compile_fail/${name}.ok)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DSOURCE=${source} -DINCLUDE=${PROJECT_SOURCE_DIR}/include
      -P ${compile_fail_check}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/compile_fail
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${source} ${compile_fail_check} ${compile_fail_headers}
    COMMENT "Checking that ${name}.cpp does not compile"
    VERBATIM)
  list(APPEND compile_fail_stamps ${stamp})
endforeach()
add_custom_target(compile_fail_checks ALL DEPENDS ${compile_fail_stamps})
add_test(NAME compile_fail COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target compile_fail_checks)
set_tests_properties(compile_fail PROPERTIES RESOURCE_LOCK build_folder)
