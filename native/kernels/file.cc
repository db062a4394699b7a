#include "file.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include "buffer.h"
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace fista {

// Smaller files are soon in memory.
[[maybe_unused]] constexpr uint64_t kManyStreams = uint64_t(1) << 26;

bool File::is(Handle handle) const {
  Stamp now;
  return stamp(handle, now) && now.size == stamp_.size && now.modified == stamp_.modified && now.number == stamp_.number &&
         now.device == stamp_.device;
}

#if defined(_WIN32)

File::~File() {
  if (handle_ != nullptr) CloseHandle(handle_);
}

bool File::open(const char* path) {
  const int length = MultiByteToWideChar(CP_UTF8, 0, path, -1, nullptr, 0);
  Buffer<wchar_t> wide;
  if (length <= 0 || !wide.allocate(static_cast<size_t>(length))) return false;
  MultiByteToWideChar(CP_UTF8, 0, path, -1, wide.data(), length);
  // Others may write, rename and remove it meanwhile, as on other systems.
  HANDLE handle = CreateFileW(wide.data(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                              OPEN_EXISTING, FILE_FLAG_SEQUENTIAL_SCAN, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return false;
  handle_ = handle;
  return GetFileType(handle) == FILE_TYPE_DISK && stamp(handle, stamp_);
}

bool File::stamp(Handle handle, Stamp& to) const {
  BY_HANDLE_FILE_INFORMATION info;
  if (!GetFileInformationByHandle(handle, &info)) return false;
  const auto both = [](uint64_t high, uint64_t low) { return high << 32 | low; };
  to.size = both(info.nFileSizeHigh, info.nFileSizeLow);
  to.modified = both(info.ftLastWriteTime.dwHighDateTime, info.ftLastWriteTime.dwLowDateTime);
  to.number = both(info.nFileIndexHigh, info.nFileIndexLow);
  to.device = info.dwVolumeSerialNumber;
  return true;
}

bool File::read(size_t, uint64_t at, void* to, size_t bytes) const {
  for (size_t done = 0; done < bytes;) {
    OVERLAPPED where = {};
    where.Offset = static_cast<DWORD>((at + done) & 0xffffffff);
    where.OffsetHigh = static_cast<DWORD>((at + done) >> 32);
    const size_t left = bytes - done;
    const DWORD some = left < (size_t(1) << 30) ? static_cast<DWORD>(left) : DWORD(1) << 30;
    DWORD got = 0;
    if (!ReadFile(handle_, static_cast<char*>(to) + done, some, &got, &where) || got == 0) return false;
    done += got;
  }
  return true;
}

void File::will_need(uint64_t, uint64_t) const {}  // FILE_FLAG_SEQUENTIAL_SCAN asked for it

#else

File::~File() {
  for (const int handle : handles_) {
    if (handle >= 0) ::close(handle);
  }
}

// Each stream has a handle of its own, as the system keeps how far it read ahead by handle. Small files, and processes that have no
// handle left, do with one.
bool File::open(const char* path) {
  handles_[0] = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO would wait for its other end
  if (handles_[0] < 0 || !stamp(handles_[0], stamp_)) return false;
  for (size_t k = 0; k < kStreams; ++k) {
    if (k > 0) {
      if (stamp_.size < kManyStreams) break;
      handles_[k] = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
      if (handles_[k] < 0) continue;
      if (!is(handles_[k])) return false;  // another file has taken the name
    }
#if defined(POSIX_FADV_SEQUENTIAL)
    ::posix_fadvise(handles_[k], 0, 0, k == kScattered ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL);
#endif
  }
  return true;
}

// Not the time of the inode's last change: a rename over the file, or another name for it, changes that and no byte.
bool File::stamp(Handle handle, Stamp& to) const {
#if defined(__GLIBC__)  // whose fstat, as of 2.33, is not in the versions before it
  struct statx info;
  if (::statx(handle, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &info) != 0 || !S_ISREG(info.stx_mode)) return false;
  to.size = info.stx_size;
  to.modified = static_cast<uint64_t>(info.stx_mtime.tv_sec) * 1000000000u + info.stx_mtime.tv_nsec;
  to.number = info.stx_ino;
  to.device = uint64_t(info.stx_dev_major) << 32 | info.stx_dev_minor;
#else
  struct stat info;
  if (::fstat(handle, &info) != 0 || !S_ISREG(info.st_mode)) return false;
#if defined(__APPLE__)
  const struct timespec modified = info.st_mtimespec;
#else
  const struct timespec modified = info.st_mtim;
#endif
  to.size = static_cast<uint64_t>(info.st_size);
  to.modified = static_cast<uint64_t>(modified.tv_sec) * 1000000000u + static_cast<uint64_t>(modified.tv_nsec);
  to.number = static_cast<uint64_t>(info.st_ino);
  to.device = static_cast<uint64_t>(info.st_dev);
#endif
  return true;
}

bool File::read(size_t stream, uint64_t at, void* to, size_t bytes) const {
  const int handle = handles_[stream] >= 0 ? handles_[stream] : handles_[0];
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = ::pread(handle, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

void File::will_need(uint64_t at, uint64_t bytes) const {
#if defined(POSIX_FADV_WILLNEED)
  if (handles_[kScattered] < 0) return;
  ::posix_fadvise(handles_[kScattered], static_cast<off_t>(at), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED);
#else
  (void)at;
  (void)bytes;
#endif
}

#endif

}  // namespace fista
