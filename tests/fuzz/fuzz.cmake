# SPDX-License-Identifier: MIT
# One target per fuzz_<what>.c that reads untrusted bytes. With PS_FUZZ (clang) they are libFuzzer programs under ASan and
# UBSan: `fuzz_pstats -dict=tests/fuzz/pstats.dict corpus tests/fuzz/regression/pstats`. Without it, each runs the files of its
# regression folder once as a test.
add_library(ps_fuzz OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_import.c)
target_link_libraries(ps_fuzz PUBLIC ps_odd ps_http)
add_library(ps_fuzz_main OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_main.c)
target_link_libraries(ps_fuzz_main PUBLIC ps_odd)

foreach(what importtime pstats stream http lprof line_text memory_text mprof scalene slices trace trace_job
        pstats_text sampling_jsonl key_averages lightning memory_timeline
        hyperfine hyperfine_text pytest_benchmark pytest_benchmark_text time timeit top
        folded speedscope flamegraph_svg gecko nsys run_file)
  set(target fuzz_${what})
  add_executable(${target} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_${what}.c)
  target_link_libraries(${target} PRIVATE ps_fuzz)
  target_compile_definitions(${target} PRIVATE PS_TESTS_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
  if(PS_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    target_link_libraries(${target} PRIVATE ps_fuzz_main)
    add_test(NAME ${target} COMMAND ${target} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/regression/${what})
  endif()
endforeach()
