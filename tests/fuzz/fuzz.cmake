# SPDX-License-Identifier: MIT
# The fuzz targets. Each format that importers/importer.h lists has one, made from fuzz_importer.c; fuzz_<what>.c are written by
# hand. fuzz_<what> belongs to the dictionary <what>.dict and the folder regression/<what>, where these exist. It begins with the
# samples of tests/golden/<what>.
# With PS_FUZZ (clang) each is a libFuzzer program under ASan and UBSan: `fuzz_pstats -dict=tests/fuzz/pstats.dict corpus
# tests/fuzz/regression/pstats`. Without it, one program reads the files of the regression folders, each folder as a test.
add_library(ps_fuzz OBJECT fuzz/fuzz_import.c)
target_link_libraries(ps_fuzz PUBLIC ps_odd ps_http ps_agent)

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/importers/importer.h)
file(READ ${CMAKE_SOURCE_DIR}/importers/importer.h importers)
string(REGEX MATCHALL "    FORMAT\\([a-z0-9_]+" importers "${importers}")
list(TRANSFORM importers REPLACE "    FORMAT\\(" "")
list(REMOVE_ITEM importers torch_trace trace_generic trace_job) # fuzz_trace.c and fuzz_trace_job.c

set(all_targets ${importers} http rpc run_file slices stream trace trace_job wire)
file(GLOB samples RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/golden ${CMAKE_CURRENT_SOURCE_DIR}/golden/*)
list(FILTER samples EXCLUDE REGEX "\\.|^foreign$") # no folder of samples, or no format that is read
list(REMOVE_ITEM samples ${all_targets})
if(samples)
  message(FATAL_ERROR "no fuzz target has the name of tests/golden/${samples}; name the folder as the format in PS_FORMATS")
endif()

set(declarations "")
set(rows "")
foreach(what ${all_targets})
  set(target fuzz_${what})
  set(source fuzz/${target}.c)
  if(what IN_LIST importers)
    set(source fuzz/fuzz_importer.c)
  endif()
  if(PS_FUZZ)
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE ps_fuzz)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    add_library(${target} OBJECT ${source})
    target_link_libraries(${target} PRIVATE ps_odd ps_http ps_agent)
    target_compile_definitions(${target} PRIVATE LLVMFuzzerTestOneInput=${target})
    list(APPEND targets ${target})
    string(APPEND declarations "int ${target}(const uint8_t *bytes, size_t len);\n")
    string(APPEND rows "    {\"${what}\", ${target}},\n")
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/regression/${what})
      add_test(NAME ${target} COMMAND fuzz_regression ${what})
      set_tests_properties(${target} PROPERTIES LABELS fuzz TIMEOUT 300)
    endif()
  endif()
  target_compile_definitions(${target} PRIVATE FUZZ_IMPORTER=ps_${what} PS_TESTS_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
endforeach()

if(NOT PS_FUZZ)
  configure_file(fuzz/regression.c.in ${CMAKE_CURRENT_BINARY_DIR}/fuzz_regression.c)
  add_executable(fuzz_regression ${CMAKE_CURRENT_BINARY_DIR}/fuzz_regression.c)
  target_link_libraries(fuzz_regression PRIVATE ps_fuzz ${targets})
  target_compile_definitions(fuzz_regression PRIVATE PS_TESTS_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
endif()
