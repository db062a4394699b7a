// The inner loops for one instruction set. The build compiles this file once for each, with FISTA_ISA naming the table's
// function suffix and one of FISTA_ISA_BASELINE, _AVX2, _AVX512, _NEON defined.
#include "hints.h"
#include "simd.h"
#include "table.h"

#define FISTA_CONCAT2(a, b) a##b
#define FISTA_CONCAT(a, b) FISTA_CONCAT2(a, b)
#define FISTA_STRING2(a) #a
#define FISTA_STRING(a) FISTA_STRING2(a)

namespace fista {
namespace {

#include "dense.inl"
#include "esp.inl"
#include "labels.inl"
#include "sparse.inl"
#include "svm.inl"
#include "svm_ascent.inl"
#include "sweeps.inl"
// Uses what dense.inl and sparse.inl define.
#include "planes.inl"

constexpr Table kTable = {
    FISTA_STRING(FISTA_ISA),
    W,
    {dense_multiply<double>, dense_multiply<float>},
    {{sparse_multiply<uint16_t, double>, sparse_multiply<uint16_t, float>, sparse_multiply<uint16_t, Ones>},
     {sparse_multiply<uint32_t, double>, sparse_multiply<uint32_t, float>, sparse_multiply<uint32_t, Ones>}},
    kVectors* W,
    pack_planes,
    dense_planes,
    {dense_planes_few<double>, dense_planes_few<float>},
    {dense_planes_long<double>, dense_planes_long<float>},
    {{sparse_planes<uint16_t, double>, sparse_planes<uint16_t, float>, sparse_planes<uint16_t, Ones>},
     {sparse_planes<uint32_t, double>, sparse_planes<uint32_t, float>, sparse_planes<uint32_t, Ones>}},
    {dense_combine<double>, dense_combine<float>},
    {{sparse_combine<uint16_t, double>, sparse_combine<uint16_t, float>, sparse_combine<uint16_t, Ones>},
     {sparse_combine<uint32_t, double>, sparse_combine<uint32_t, float>, sparse_combine<uint32_t, Ones>}},
    {dense_ascend<double>, dense_ascend<float>},
    {{sparse_ascend<uint16_t, double>, sparse_ascend<uint16_t, float>, sparse_ascend<uint16_t, Ones>},
     {sparse_ascend<uint32_t, double>, sparse_ascend<uint32_t, float>, sparse_ascend<uint32_t, Ones>}},
    {dense_stats<double>, dense_stats<float>},
    {dense_norms<double>, dense_norms<float>},
    {all_finite<double>, all_finite<float>},
    count_descents<uint32_t>,
    count_descents<uint16_t>,
    add_parts,
    knapsack_phi,
    knapsack_write,
    sum_squares,
    max_abs,
    scale,
    svm_measure,
    svm_forward,
    svm_finish,
    svm_offsets,
    svm_gap,
    svm_certify,
    svm_slopes,
    svm_along,
    svm_sign,
    svm_share,
    label_distances,
    label_bounds,
    label_votes,
    label_limits,
    label_open,
    {{esp_forward<0, false>, esp_forward<1, false>, esp_forward<2, false>, esp_forward<3, false>},
     {esp_forward<0, true>, esp_forward<1, true>, esp_forward<2, true>, esp_forward<3, true>}},
    {esp_finish<0>, esp_finish<1>, esp_finish<2>, esp_finish<3>},
    {esp_support<0>, esp_support<1>, esp_support<2>, esp_support<3>},
    esp_measure,
};

}  // namespace

const Table* FISTA_CONCAT(table_, FISTA_ISA)() { return &kTable; }

}  // namespace fista
