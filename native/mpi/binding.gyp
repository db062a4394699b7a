# Builds the addon that connects ranks by MPI. `fista-classify build --mpi` writes mpi.gypi beside this file: the flags that mpicc tells.
{
  "includes": ["../sources.gypi", "mpi.gypi"],
  "targets": [
    {
      "target_name": "fista_classify_mpi",
      "sources": ["mpi.cc"],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")", "..", "../kernels"],
      "defines": ["NAPI_VERSION=8", "NAPI_CPP_EXCEPTIONS"],
      "cflags_cc!": ["-fno-exceptions", "-std=gnu++17", "-O2"],
      "cflags!": ["-O2"],
      "cflags_cc": ["-std=c++17", "-fexceptions", "<@(common_flags)", "<@(mpi_compile_flags)"],
      "ldflags": ["<@(mpi_link_flags)"],
      "libraries": ["<@(mpi_libraries)"],
      "xcode_settings": {
        "CLANG_CXX_LANGUAGE_STANDARD": "c++17",
        "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
        "GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
        "MACOSX_DEPLOYMENT_TARGET": "11.0",
        "OTHER_CPLUSPLUSFLAGS": ["<@(common_flags)", "<@(mpi_compile_flags)"],
        "OTHER_LDFLAGS": ["<@(mpi_link_flags)"],
      },
    },
  ],
}
