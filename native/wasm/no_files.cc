// WebAssembly has no files: no Matrix is ever opened, and none of these is called. The kernels refer to them.
#include "row_file.h"

namespace fista {

File::~File() = default;
DenseRows LoadedRows::dense(const FileLayout&, size_t) const { return {}; }
SparseRows LoadedRows::sparse(const FileLayout&, size_t) const { return {}; }
CopyResult RowFile::open(const Run&, const char*, const FileLayout&) { return {CopyResult::unreadable}; }
bool RowFile::load(const Run&, const uint32_t*, size_t, size_t, const double*, size_t, LoadedRows&) const { return false; }
void RowFile::will_need(size_t, size_t) const {}
uint64_t RowFile::data_bytes() const { return 0; }
CopyResult RowFile::failure() const { return {}; }
bool RowFile::fail(const CopyResult&) const { return false; }

}  // namespace fista
