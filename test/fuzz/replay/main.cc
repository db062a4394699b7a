// Runs a fuzz target without libFuzzer on every file of the given folders: its seeds and earlier findings.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int count, char** folders) {
  size_t files = 0;
  for (int k = 1; k < count; ++k) {
    for (const auto& entry : std::filesystem::directory_iterator(folders[k])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      std::printf("%s\n", entry.path().string().c_str());
      std::fflush(stdout);  // a target that finds a defect aborts the process
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      ++files;
    }
  }
  return files > 0 ? 0 : 1;
}
