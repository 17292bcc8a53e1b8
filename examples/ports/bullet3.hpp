// bullet3.hpp - Bullet3's b3FillCL, b3PrefixScanCL, b3RadixSort32CL and b3BoundSearchCL, by gpuprim. Include b3OpenCLArray.h
// first, and this instead of the four classes' headers. The forms for arrays on the host (executeHost) are left out.
//
// What differs: any n will do, without padding; a failure throws.
#pragma once
#include "port.hpp"

#include <type_traits>

struct b3SortData {
    union {
        unsigned int m_key;
        unsigned int x;
    };
    union {
        unsigned int m_value;
        unsigned int y;
    };
};

class b3FillCL
{
  public:
    b3FillCL(cl_context cl, cl_device_id device, cl_command_queue queue) : gp(cl, device, queue) {}

    // array[offset + i] = value, for i from 0 to n - 1
    template <typename T>
    void execute(b3OpenCLArray<T> &array, const std::common_type_t<T> &value, int n, int offset = 0)
    {
        gp_fill_desc d = {};
        d.out = array.getBufferCL();
        d.out_offset = size_t(offset);
        d.element_size = sizeof(T);
        d.value = &value;
        d.count = size_t(n);
        gp.check(gp_fill(gp, &d));
    }

  private:
    port::context gp;
};

class b3PrefixScanCL
{
  public:
    b3PrefixScanCL(cl_context cl, cl_device_id device, cl_command_queue queue, int = 0)
        : gp(cl, device, queue)
    {
    }

    // dst[i] = src[0] + ... + src[i - 1]. With `sum` it blocks, and *sum is dst[n - 1], as in Bullet3.
    void execute(b3OpenCLArray<unsigned int> &src, b3OpenCLArray<unsigned int> &dst, int n,
                 unsigned int *sum = nullptr)
    {
        gp_scan_desc d = {};
        d.in = src.getBufferCL();
        d.out = dst.getBufferCL();
        d.count = size_t(n);
        d.type = GP_U32;
        d.op = GP_SUM;
        d.exclusive = true;
        gp.check(gp_scan(gp, &d));
        if (sum && n > 0 &&
            clEnqueueReadBuffer(gp_cl_queue(gp), d.out, CL_TRUE, (d.count - 1) * 4, 4, sum, 0, nullptr,
                                nullptr))
            throw std::runtime_error("b3PrefixScanCL: cannot read the sum");
    }

  private:
    port::context gp;
};

class b3RadixSort32CL
{
  public:
    b3RadixSort32CL(cl_context cl, cl_device_id device, cl_command_queue queue, int = 0)
        : gp(cl, device, queue)
    {
    }

    // Stable, by the low sortBits bits of keys.
    void execute(b3OpenCLArray<unsigned int> &keysIn, b3OpenCLArray<unsigned int> &keysOut,
                 b3OpenCLArray<unsigned int> &valuesIn, b3OpenCLArray<unsigned int> &valuesOut, int n,
                 int sortBits = 32)
    {
        gp_sort_desc d = desc(keysIn.getBufferCL(), size_t(n), GP_U32, sortBits);
        d.keys_out = keysOut.getBufferCL();
        d.values = valuesIn.getBufferCL();
        d.values_out = valuesOut.getBufferCL();
        d.value_size = 4;
        gp.check(gp_sort(gp, &d));
    }

    void execute(b3OpenCLArray<unsigned int> &keys, int sortBits = 32)
    {
        const gp_sort_desc d = desc(keys.getBufferCL(), size_t(keys.size()), GP_U32, sortBits);
        gp.check(gp_sort(gp, &d));
    }

    // A key and its value are one number, of which the low bits are compared: devices are little-endian.
    void execute(b3OpenCLArray<b3SortData> &keyValues, int sortBits = 32)
    {
        const gp_sort_desc d = desc(keyValues.getBufferCL(), size_t(keyValues.size()), GP_U64, sortBits);
        gp.check(gp_sort(gp, &d));
    }

  private:
    static gp_sort_desc desc(cl_mem keys, size_t n, gp_type type, int bits)
    {
        gp_sort_desc d = {};
        d.keys = keys;
        d.count = n;
        d.key_type = type;
        d.end_bit = uint32_t(bits);
        return d;
    }

    port::context gp;
};

class b3BoundSearchCL
{
  public:
    enum Option { BOUND_LOWER, BOUND_UPPER, COUNT };

    b3BoundSearchCL(cl_context cl, cl_device_id device, cl_command_queue queue, int = 0)
        : gp(cl, device, queue)
    {
    }

    // src is sorted by m_key. For each key k below nDst, dst[k] = where it begins, where it ends, or how often it occurs.
    // As in Bullet3, bounds are written for keys that occur and no others.
    void execute(b3OpenCLArray<b3SortData> &src, int nSrc, b3OpenCLArray<unsigned int> &dst, int nDst,
                 Option option = BOUND_LOWER)
    {
        if (nDst <= 0) return;
        const cl_mem below = lower.of(gp, 4 * size_t(nDst)), upto = upper.of(gp, 4 * size_t(nDst));
        search(src.getBufferCL(), size_t(nSrc), below, size_t(nDst), false);
        search(src.getBufferCL(), size_t(nSrc), upto, size_t(nDst), true);
        gp_transform_desc d = {};
        d.in = d.out = dst.getBufferCL();
        d.in2 = below;
        d.in3 = upto;
        d.type = GP_U32;
        d.map = option == COUNT ? "z - y" : option == BOUND_LOWER ? "y < z ? y : x" : "y < z ? z : x";
        d.count = size_t(nDst);
        gp.check(gp_transform(gp, &d));
    }

  private:
    void search(cl_mem src, size_t n, cl_mem out, size_t keys, bool is_upper)
    {
        static const gp_record sort_data = {"uint2", 8, nullptr};
        gp_search_desc d = {};
        d.keys = src;
        d.count = n;
        d.record = &sort_data;
        d.map = "x.x";
        d.key_type = d.out_type = GP_U32;
        d.needle_count = keys; // needle i is i
        d.out = out;
        d.upper = is_upper;
        gp.check(gp_search(gp, &d));
    }

    port::context gp;
    port::scratch lower, upper;
};
