# Installs the package into the build folder and builds projects that use it from there, as a stranger would. Beside the
# library of this build, which is static unless asked for otherwise, a shared one for the host alone, without
# optimisation: that takes a quarter of the time, and leaves more symbols to be hidden.
set(install_root ${CMAKE_CURRENT_BINARY_DIR}/installed)
set(shared_root ${CMAKE_CURRENT_BINARY_DIR}/installed_shared)
set(shared_build ${CMAKE_CURRENT_BINARY_DIR}/shared)
set(consumer_options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
  -DCMAKE_FIND_PACKAGE_NO_PACKAGE_REGISTRY=ON)
if(CMAKE_CUDA_FLAGS)
  list(APPEND consumer_options -DCMAKE_CUDA_FLAGS=${CMAKE_CUDA_FLAGS})
endif()
foreach(launcher CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CUDA_COMPILER_LAUNCHER)
  if(${launcher})
    list(APPEND consumer_options -D${launcher}=${${launcher}})
  endif()
endforeach()

# package.<name>: configures and builds a project with these options, then runs the rest.
function(gpupar_project_test name source build)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "OPTIONS;THEN")
  add_test(NAME package.${name}
    COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${source} ${build}
      --build-generator ${CMAKE_GENERATOR} --build-noclean --build-options ${consumer_options} ${arg_OPTIONS} ${arg_THEN})
  set_tests_properties(package.${name} PROPERTIES TIMEOUT 900 LABELS package)
endfunction()

# package.<name>: a project of this folder that uses the package below `root`.
function(gpupar_consumer_test name folder root)
  gpupar_project_test(${name} ${CMAKE_CURRENT_SOURCE_DIR}/consumer/${folder} ${CMAKE_CURRENT_BINARY_DIR}/consumer/${name}
    OPTIONS -DCMAKE_PREFIX_PATH=${root} -DCMAKE_BUILD_TYPE=Debug ${ARGN}
    THEN --test-command consumer)
endfunction()

add_test(NAME package.install
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --config $<CONFIG> --prefix ${install_root})
set_tests_properties(package.install PROPERTIES FIXTURES_SETUP installed_package LABELS package)
gpupar_project_test(install_shared ${PROJECT_SOURCE_DIR} ${shared_build}
  OPTIONS -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON -DGPUPAR_CUDA=OFF -DGPUPAR_BUILD_TESTS=OFF
    -DGPUPAR_BUILD_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX=${shared_root}
  THEN --build-target install)
set_tests_properties(package.install_shared PROPERTIES FIXTURES_SETUP shared_package)

gpupar_consumer_test(plain plain ${install_root})
gpupar_consumer_test(shared_plain plain ${shared_root})
gpupar_consumer_test(two_libraries two_libraries ${install_root} -DOTHER_PREFIX=${shared_root})
gpupar_consumer_test(subdirectory subdirectory ${install_root} -DGPUPAR_SOURCE_DIR=${PROJECT_SOURCE_DIR}
  -DGPUPAR_CUDA=OFF)
set(uses_installed plain two_libraries)
set(uses_shared shared_plain two_libraries symbols abi components)
if(TARGET gpupar::mpi)
  gpupar_consumer_test(mpi mpi ${install_root})
  list(APPEND uses_installed mpi)
endif()
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  gpupar_consumer_test(pkg_config pkg_config ${install_root})
  gpupar_consumer_test(shared_pkg_config pkg_config ${shared_root})
  list(APPEND uses_installed pkg_config)
  list(APPEND uses_shared shared_pkg_config)
  if(GPUPAR_WITH_CUDA)
    add_test(NAME package.pkg_config_nvcc COMMAND ${CMAKE_COMMAND} -DNVCC=${CMAKE_CUDA_COMPILER}
      -DPKG_CONFIG=${PKG_CONFIG_EXECUTABLE} -DPREFIX=${install_root} -DROOT=${CMAKE_CURRENT_BINARY_DIR}/consumer
      -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/pkg_config_nvcc.cmake)
    set_tests_properties(package.pkg_config_nvcc PROPERTIES TIMEOUT 900 LABELS package)
    list(APPEND uses_installed pkg_config_nvcc)
  endif()
endif()
if(GPUPAR_WITH_CUDA)
  gpupar_consumer_test(device device ${install_root} -DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER}
    -DCMAKE_CUDA_ARCHITECTURES=75)
  gpupar_consumer_test(two_architectures two_architectures ${install_root}
    -DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER})
  list(APPEND uses_installed device two_architectures)
endif()

# package.configure_<case>: see there.
function(gpupar_configure_test case)
  add_test(NAME package.configure_${case} COMMAND ${CMAKE_COMMAND} -DCASE=${case} -DSOURCE=${PROJECT_SOURCE_DIR}
    -DROOT=${CMAKE_CURRENT_BINARY_DIR}/configure/${case} -DGENERATOR=${CMAKE_GENERATOR} ${ARGN}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/configure.cmake)
  set_tests_properties(package.configure_${case} PROPERTIES TIMEOUT 300 LABELS package)
endfunction()
gpupar_configure_test(default_preset)
gpupar_configure_test(no_build_type)
gpupar_configure_test(broken_nvcc)
gpupar_configure_test(host_package -DPREFIX=${shared_root})
list(APPEND uses_shared configure_host_package)
if(GPUPAR_WITH_CUDA)
  gpupar_configure_test(parent_with_cuda -DNVCC=${CMAKE_CUDA_COMPILER})
endif()

add_test(NAME package.symbols COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DPREFIX=${shared_root}
  -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/symbols.cmake)
# What programs were linked with is still there, and laid out as it was.
add_test(NAME package.abi COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DPREFIX=${shared_root}
  -P ${PROJECT_SOURCE_DIR}/packaging/abi/symbols.cmake)
add_test(NAME package.abi_of_build COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:gpupar>
  -P ${PROJECT_SOURCE_DIR}/packaging/abi/symbols.cmake)
add_executable(test_layouts ${PROJECT_SOURCE_DIR}/packaging/abi/layouts.cpp)
target_link_libraries(test_layouts PRIVATE gpupar::gpupar)
target_compile_options(test_layouts PRIVATE -O0)
add_test(NAME package.layouts COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:test_layouts>
  -P ${PROJECT_SOURCE_DIR}/packaging/abi/layouts.cmake)
add_test(NAME package.components COMMAND ${CMAKE_COMMAND} -DBUILD=${shared_build}
  -DROOT=${CMAKE_CURRENT_BINARY_DIR}/components -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/components.cmake)
foreach(name IN LISTS uses_installed)
  set_property(TEST package.${name} APPEND PROPERTY FIXTURES_REQUIRED installed_package)
endforeach()
foreach(name IN LISTS uses_shared)
  set_property(TEST package.${name} APPEND PROPERTY FIXTURES_REQUIRED shared_package)
endforeach()
set_tests_properties(package.symbols package.abi package.abi_of_build package.layouts package.components PROPERTIES
  LABELS package)
