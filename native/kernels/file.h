// A file that is read at any position, by several threads at once, and that says when it is no longer what it was.
//
// Read, not mapped: a mapped file that is cut ends the process by a signal at the next access, while a read reports how much it
// got. It also bounds memory by the caller's buffers, and the copy is checked before it is used, whatever happens to the file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fista {

// WebAssembly has none.
#if defined(__wasm__)
constexpr bool kHasFiles = false;
#else
constexpr bool kHasFiles = true;
#endif

class File {
 public:
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  // Opens a regular file for reading; the path is UTF-8. False if there is none, or it may not be read. To be called once.
  [[nodiscard]] bool open(const char* path);
  // Streams, which the system reads ahead of one by one: those before kScattered for reading in order, each by one thread and in
  // one part of the file at a time, if possible; kScattered for places that will_need() names.
  static constexpr size_t kStreams = 9, kScattered = 8;
  // Whether all of these bytes could be read.
  [[nodiscard]] bool read(size_t stream, uint64_t at, void* to, size_t bytes) const;
  // Asks the system to have these bytes ready soon.
  void will_need(uint64_t at, uint64_t bytes) const;
  // Whether size and time of modification are still what they were when the file was opened. (Systems keep time in steps of some
  // milliseconds: a change within such a step of the one before is not seen.)
  [[nodiscard]] bool unchanged() const {
#if defined(_WIN32)
    return is(handle_);
#else
    return is(handles_[0]);
#endif
  }
  uint64_t size() const { return stamp_.size; }

 private:
  struct Stamp {
    uint64_t size = 0, modified = 0, number = 0, device = 0;
  };
#if defined(_WIN32)
  using Handle = void*;
#else
  using Handle = int;
#endif
  bool stamp(Handle handle, Stamp& to) const;
  bool is(Handle handle) const;

  Stamp stamp_;
#if defined(_WIN32)
  Handle handle_ = nullptr;
#else
  Handle handles_[kStreams] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
#endif
};

}  // namespace fista
