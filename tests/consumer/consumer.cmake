# Installs the package into the build folder and builds projects that use it from there, as a stranger would.
set(install_root ${CMAKE_CURRENT_BINARY_DIR}/installed)
add_test(NAME package.install
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --config $<CONFIG> --prefix ${install_root})
set_tests_properties(package.install PROPERTIES FIXTURES_SETUP installed_package LABELS package)

function(gpupar_consumer_test name)
  add_test(NAME package.${name}
    COMMAND ${CMAKE_CTEST_COMMAND}
      --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer/${name} ${CMAKE_CURRENT_BINARY_DIR}/consumer/${name}
      --build-generator ${CMAKE_GENERATOR} --build-noclean
      --build-options -DCMAKE_PREFIX_PATH=${install_root} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
        -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS} -DCMAKE_BUILD_TYPE=Debug -DCMAKE_FIND_PACKAGE_NO_PACKAGE_REGISTRY=ON
        ${ARGN}
      --test-command consumer)
  set_tests_properties(package.${name} PROPERTIES FIXTURES_REQUIRED installed_package TIMEOUT 600 LABELS package)
endfunction()

gpupar_consumer_test(plain)
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  gpupar_consumer_test(pkg_config)
endif()
if(GPUPAR_WITH_CUDA)
  gpupar_consumer_test(device -DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER} -DCMAKE_CUDA_ARCHITECTURES=75)
endif()
