/* plugin.cpp - an Oclgrind plug-in: what each kernel launch would ask of a GPU's memories.

   Work-items that follow one another make a sub-group of GPU_COST_LANES. What its lanes do by the same instruction, for
   the same time since the last barrier, is one request. A request takes

       local memory    wavefronts: 32 banks of 4 bytes hand out one word each at a time; lanes that read the same word
                       share it, atomic operations on one word queue
       global memory   sectors: aligned 32 bytes that it touches

   For each launch a line of JSON goes to the file GPU_COST_OUT. A launch is idle when it stores nothing and its
   atomic operations leave global memory as it was. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <oclgrind/Context.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unordered_map>
#include <vector>

namespace
{

enum { BANKS = 32, BANK_BYTES = 4, SECTOR_BYTES = 32 };
enum Kind { LOCAL_LOAD, LOCAL_STORE, LOCAL_ATOMIC, GLOBAL_LOAD, GLOBAL_STORE, GLOBAL_ATOMIC, KINDS };
const char *const kind_names[KINDS] = {"local_load",  "local_store",  "local_atomic",
                                       "global_load", "global_store", "global_atomic"};

struct Access {
    size_t address, size;
};

/* units: wavefronts of local memory, sectors of global memory; widest: most lanes of a request */
struct Sum {
    unsigned long long lanes, bytes, requests, units, widest;
};

struct Launch {
    unsigned long long groups, barriers;
    std::array<Sum, KINDS> sums;
    std::map<size_t, std::vector<unsigned char>> before; // what atomic operations found first, by address
};

/* What an instruction has done to one memory since the last barrier. */
struct Place {
    const llvm::Instruction *instruction;
    Kind kind;

    bool operator==(const Place &other) const
    {
        return instruction == other.instruction && kind == other.kind;
    }
};
struct PlaceHash {
    size_t operator()(const Place &place) const
    {
        return std::hash<const void *>()(place.instruction) * KINDS + place.kind;
    }
};
typedef std::vector<Access> Request;
struct Done {
    std::vector<size_t> times;                  /* by work-item */
    std::vector<std::vector<Request>> requests; /* by sub-group and time */
};

/* The numbers of the units of `unit` bytes that a request touches, sorted; each once, or for each access. */
std::vector<size_t> units_of(const Request &request, size_t unit, bool each)
{
    std::vector<size_t> units;
    for (const Access &a : request)
        for (size_t u = a.address / unit; u <= (a.address + a.size - 1) / unit; u++) units.push_back(u);
    std::sort(units.begin(), units.end());
    if (!each) units.erase(std::unique(units.begin(), units.end()), units.end());
    return units;
}

size_t wavefronts(const Request &request, bool atomic)
{
    std::array<size_t, BANKS> load = {};
    for (size_t word : units_of(request, BANK_BYTES, atomic)) load[word % BANKS]++;
    return *std::max_element(load.begin(), load.end());
}

size_t sectors(const Request &request) { return units_of(request, SECTOR_BYTES, false).size(); }

class Cost : public oclgrind::Plugin
{
  public:
    explicit Cost(const oclgrind::Context *context) : Plugin(context)
    {
        const char *text = getenv("GPU_COST_LANES"), *path = getenv("GPU_COST_OUT");
        lanes = text ? strtoul(text, nullptr, 10) : 32;
        out = path ? fopen(path, "a") : stderr;
        if (!lanes || !out) {
            fprintf(stderr, "gpu-cost: bad GPU_COST_LANES or GPU_COST_OUT\n");
            exit(1);
        }
    }

    bool isThreadSafe() const override { return false; }

    void kernelBegin(const oclgrind::KernelInvocation *) override { launch = Launch(); }

    void kernelEnd(const oclgrind::KernelInvocation *invocation) override
    {
        const oclgrind::Size3 size = invocation->getLocalSize();
        fprintf(out,
                "{\"kernel\": \"%s\", \"group\": %zu, \"groups\": %llu, \"barriers\": %llu, \"idle\": %s",
                invocation->getKernel()->getName().c_str(), size.x * size.y * size.z, launch.groups,
                launch.barriers, is_idle() ? "true" : "false");
        for (int k = 0; k < KINDS; k++) {
            const Sum &s = launch.sums[k];
            fprintf(out, ", \"%s\": {\"lanes\": %llu, \"bytes\": %llu, \"requests\": %llu, \"units\": %llu, ",
                    kind_names[k], s.lanes, s.bytes, s.requests, s.units);
            fprintf(out, "\"widest\": %llu}", s.widest);
        }
        fprintf(out, "}\n");
        fflush(out);
    }

    void memoryLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
                    size_t size) override
    {
        note(memory, item, address, size, LOCAL_LOAD, GLOBAL_LOAD);
    }

    void memoryStore(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address,
                     size_t size, const uint8_t *) override
    {
        note(memory, item, address, size, LOCAL_STORE, GLOBAL_STORE);
    }

    /* Comes before the operation, whether that will store or not. */
    void memoryAtomicLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, oclgrind::AtomicOp,
                          size_t address, size_t size) override
    {
        note(memory, item, address, size, LOCAL_ATOMIC, GLOBAL_ATOMIC);
        if (memory->getAddressSpace() != oclgrind::AddrSpaceGlobal || launch.before.count(address)) return;
        const unsigned char *bytes = static_cast<const unsigned char *>(memory->getPointer(address));
        launch.before[address].assign(bytes, bytes + size);
    }

    void workGroupBarrier(const oclgrind::WorkGroup *, uint32_t) override
    {
        launch.barriers++;
        add_requests();
    }

    void workGroupComplete(const oclgrind::WorkGroup *) override
    {
        launch.groups++;
        add_requests();
    }

  private:
    size_t lanes;
    FILE *out;
    Launch launch;
    std::unordered_map<Place, Done, PlaceHash> places;

    void note(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size,
              Kind local, Kind global)
    {
        const unsigned space = memory->getAddressSpace();
        if (space != oclgrind::AddrSpaceLocal && space != oclgrind::AddrSpaceGlobal) return;
        const size_t id = item->getLocalID().x;
        Done &done =
            places[{item->getCurrentInstruction(), space == oclgrind::AddrSpaceLocal ? local : global}];
        if (done.times.size() <= id) done.times.resize(id + 1);
        if (done.requests.size() <= id / lanes) done.requests.resize(id / lanes + 1);
        std::vector<Request> &requests = done.requests[id / lanes];
        const size_t time = done.times[id]++;
        if (requests.size() <= time) requests.resize(time + 1);
        requests[time].push_back({address, size});
    }

    void add_requests()
    {
        for (const auto &place : places)
            for (const auto &requests : place.second.requests)
                for (const Request &request : requests) add_request(place.first.kind, request);
        places.clear();
    }

    void add_request(Kind kind, const Request &request)
    {
        Sum &sum = launch.sums[kind];
        sum.requests++;
        sum.lanes += request.size();
        sum.widest = std::max<unsigned long long>(sum.widest, request.size());
        for (const Access &a : request) sum.bytes += a.size;
        sum.units += kind < GLOBAL_LOAD ? wavefronts(request, kind == LOCAL_ATOMIC) : sectors(request);
    }

    bool is_idle() const
    {
        const oclgrind::Memory *memory = m_context->getGlobalMemory();
        if (launch.sums[GLOBAL_STORE].lanes > 0) return false;
        for (const auto &b : launch.before) {
            if (memcmp(memory->getPointer(b.first), b.second.data(), b.second.size()) != 0) return false;
        }
        return true;
    }
};

Cost *cost;

} // namespace

extern "C" void initializePlugins(oclgrind::Context *context)
{
    cost = new Cost(context);
    context->registerPlugin(cost);
}

extern "C" void releasePlugins(oclgrind::Context *context)
{
    context->unregisterPlugin(cost);
    delete cost;
}
