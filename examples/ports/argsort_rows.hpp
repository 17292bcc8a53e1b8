// argsort_rows.hpp - the order of each row of a matrix, as runtimes of neural networks want it (ggml's GGML_OP_ARGSORT, ONNX
// TopK and Sort): order[row][k] = the column of the k-th value of that row.
#pragma once
#include "port.hpp"

class argsort_rows
{
  public:
    argsort_rows(cl_context cl, cl_device_id device, cl_command_queue queue) : gp(cl, device, queue) {}

    // values: rows x columns floats, one row after another. Stable. Nothing waits.
    void execute(cl_mem values, cl_mem order, size_t rows, size_t columns, bool descending)
    {
        const size_t n = rows * columns;
        const cl_mem keys = sorted.of(gp, 4 * n), starts = offsets.of(gp, 4 * (rows + 1));
        if (n == 0) return;
        const uint32_t width = uint32_t(columns);
        const gp_arg args[] = {{"columns", GP_U32, nullptr, &width, nullptr, 0, 0}};
        gp_transform_desc column = {};
        column.out = order;
        column.out_type = GP_U32;
        column.map = "(uint)i % columns";
        column.args = args;
        column.arg_count = 1;
        column.count = n;
        gp.check(gp_transform(gp, &column));
        gp_iota_desc start = {};
        start.out = starts;
        start.type = GP_U32;
        start.step.u64 = columns;
        start.count = rows + 1;
        gp.check(gp_iota(gp, &start));
        gp_segmented_sort_desc d = {};
        d.keys = values;
        d.keys_out = keys;
        d.values = order; // in place
        d.value_size = 4;
        d.count = n;
        d.offsets = starts;
        d.offsets_type = GP_U32;
        d.segment_count = rows;
        d.key_type = GP_F32;
        d.descending = descending;
        gp.check(gp_segmented_sort(gp, &d));
    }

  private:
    port::context gp;
    port::scratch sorted, offsets;
};
