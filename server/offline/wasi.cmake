# SPDX-License-Identifier: MIT
# What compiles the engine: clang and lld with the libc and the runtime for WebAssembly that Debian packages.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_C_COMPILER_WORKS TRUE) # its own test needs an archiver, which nothing else here does
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
