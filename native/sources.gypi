{
  "variables": {
    "addon_sources": [
      "native/addon.cc",
      "native/async_job.cc",
      "native/esp_handle.cc",
      "native/glibc.cc",
      "native/helper.cc",
      "native/interrupt_handle.cc",
      "native/matrix_handle.cc",
      "native/parse_handle.cc",
      "native/projections.cc",
      "native/svm_handle.cc"
    ],
    "kernel_sources": [
      "native/kernels/columns.cc",
      "native/kernels/cones.cc",
      "native/kernels/cpu.cc",
      "native/kernels/decimal.cc",
      "native/kernels/esp.cc",
      "native/kernels/file.cc",
      "native/kernels/knapsack.cc",
      "native/kernels/labels.cc",
      "native/kernels/matrix.cc",
      "native/kernels/matrix_ascend.cc",
      "native/kernels/matrix_columns.cc",
      "native/kernels/matrix_copy.cc",
      "native/kernels/matrix_decide.cc",
      "native/kernels/memory.cc",
      "native/kernels/parallel.cc",
      "native/kernels/parse.cc",
      "native/kernels/row_file.cc",
      "native/kernels/svm.cc",
      "native/kernels/svm_ascent.cc",
      "native/kernels/svm_newton.cc"
    ],
    "wasm_sources": [
      "native/wasm/matrix_module.cc",
      "native/wasm/module.cc",
      "native/wasm/no_files.cc",
      "native/wasm/other_module.cc",
      "native/wasm/problem_module.cc",
      "native/wasm/runtime.cc"
    ],
    "not_in_wasm": ["native/kernels/file.cc", "native/kernels/memory.cc", "native/kernels/parallel.cc", "native/kernels/row_file.cc"],
    "wasm_flags": ["-std=c++17", "-Os", "-msimd128", "-ffp-contract=off", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-Wall", "-Wextra", "-Wno-bitwise-instead-of-logical"],
    "wasm_isa_flags": ["-O2", "-DFISTA_ISA=wasm128", "-DFISTA_ISA_WASM128"],
    "isa_source": "native/kernels/isa.cc",
    "common_flags": ["-O3", "-fvisibility=hidden", "-ffp-contract=off", "-Wall", "-Wextra"],
    "avx2_flags": ["-mavx2", "-mfma"],
    "avx512_flags": ["-mavx2", "-mfma", "-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl"],
    "msvc_flags": ["/O2", "/fp:precise"],
    "msvc_avx2_flags": ["/arch:AVX2"],
    "msvc_avx512_flags": ["/arch:AVX512"]
  }
}
