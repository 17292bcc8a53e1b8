// port.hpp - what the ports share: a gpuprim context on a program's own OpenCL objects, failures as exceptions.
#pragma once
#include "../../gpuprim.h"

#include <memory>
#include <stdexcept>

namespace port
{

class context
{
  public:
    context(cl_context cl, cl_device_id device, cl_command_queue queue)
    {
        gp_context_desc desc = {};
        desc.context = cl;
        desc.device = device;
        desc.queue = queue;
        gp_context *made = nullptr;
        if (gp_context_create(&desc, &made) != GP_OK) throw std::runtime_error(gp_last_error(nullptr));
        gp.reset(made);
    }

    operator gp_context *() const { return gp.get(); }

    void check(gp_result result) const
    {
        if (result != GP_OK) throw std::runtime_error(gp_last_error(gp.get()));
    }

  private:
    struct destroy {
        void operator()(gp_context *x) const { gp_context_destroy(x); }
    };
    std::unique_ptr<gp_context, destroy> gp;
};

// A buffer that grows, for what lies between two calls.
class scratch
{
  public:
    scratch() = default;
    scratch(const scratch &) = delete;
    scratch &operator=(const scratch &) = delete;
    ~scratch() { release(); }

    cl_mem of(const context &gp, size_t bytes)
    {
        if (bytes <= size) return memory;
        release();
        gp.check(gp_buffer_create(gp, bytes, nullptr, &memory));
        size = bytes;
        return memory;
    }

  private:
    void release()
    {
        if (memory) clReleaseMemObject(memory); // commands in flight keep it
        memory = nullptr;
        size = 0;
    }

    cl_mem memory = nullptr;
    size_t size = 0;
};

} // namespace port
