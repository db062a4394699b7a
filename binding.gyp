# Builds the addon that ships. Sources and flags are listed once, in native/sources.gypi, for this file and for CMakeLists.txt.
#
# native/kernels/isa.cc is compiled once per instruction set into a separate library; native/kernels/cpu.cc chooses among
# them at run time.
{
  "includes": ["native/sources.gypi"],
  "target_defaults": {
    "default_configuration": "Release",
    "cflags_cc!": ["-fno-exceptions", "-std=gnu++17", "-O2"],
    "cflags!": ["-O2"],
    "cflags_cc": ["-std=c++17", "-fexceptions", "<@(common_flags)"],
    "xcode_settings": {
      "CLANG_CXX_LANGUAGE_STANDARD": "c++17",
      "GCC_ENABLE_CPP_EXCEPTIONS": "YES",
      "GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
      "MACOSX_DEPLOYMENT_TARGET": "11.0",
      "OTHER_CPLUSPLUSFLAGS": ["<@(common_flags)"],
    },
    "msvs_settings": {
      "VCCLCompilerTool": { "ExceptionHandling": 1, "AdditionalOptions": ["/std:c++17", "<@(msvc_flags)"] },
    },
  },
  "conditions": [
    ["target_arch=='x64'", {
      "targets": [
        {
          "target_name": "isa_avx2",
          "type": "static_library",
          "sources": ["<(isa_source)"],
          "defines": ["FISTA_ISA=avx2", "FISTA_ISA_AVX2"],
          "cflags_cc": ["<@(avx2_flags)"],
          "xcode_settings": { "OTHER_CPLUSPLUSFLAGS": ["<@(avx2_flags)"] },
          "msvs_settings": { "VCCLCompilerTool": { "AdditionalOptions": ["<@(msvc_avx2_flags)"] } },
        },
        {
          "target_name": "isa_avx512",
          "type": "static_library",
          "sources": ["<(isa_source)"],
          "defines": ["FISTA_ISA=avx512", "FISTA_ISA_AVX512"],
          "cflags_cc": ["<@(avx512_flags)"],
          "xcode_settings": { "OTHER_CPLUSPLUSFLAGS": ["<@(avx512_flags)"] },
          "msvs_settings": { "VCCLCompilerTool": { "AdditionalOptions": ["<@(msvc_avx512_flags)"] } },
        },
      ],
    }],
    ["target_arch=='arm64'", {
      "targets": [
        {
          "target_name": "isa_neon",
          "type": "static_library",
          "sources": ["<(isa_source)"],
          "defines": ["FISTA_ISA=neon", "FISTA_ISA_NEON"],
        },
      ],
    }],
  ],
  "targets": [
    {
      "target_name": "isa_baseline",
      "type": "static_library",
      "sources": ["<(isa_source)"],
      "defines": ["FISTA_ISA=baseline", "FISTA_ISA_BASELINE"],
    },
    {
      "target_name": "fista_classify",
      "sources": ["<@(addon_sources)", "<@(kernel_sources)"],
      "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")", "native/kernels"],
      "defines": ["NAPI_VERSION=8", "NAPI_CPP_EXCEPTIONS"],
      "dependencies": ["isa_baseline"],
      "conditions": [
        ["target_arch=='x64'", { "dependencies": ["isa_avx2", "isa_avx512"] }],
        ["target_arch=='arm64'", { "dependencies": ["isa_neon"] }],
      ],
    },
  ],
}
