/* plugin.cpp - an Oclgrind plug-in: what each kernel launch would ask of a GPU.

   Work-items that follow one another make a sub-group; GPU_COST_LANES has its sizes, such as 32,64. What its lanes
   do by the same instruction, for the same time since the last barrier, is one request. A request takes

       local memory    wavefronts: 32 banks of 4 bytes hand out one word each at a time; lanes that read the same word
                       share it, atomic operations on one word queue
       global memory   sectors: aligned 32 bytes that it touches

   A function with _sg_ in its name that uses memory stands for one operation of a sub-group: its calls are counted, and nothing of
   what it does. If GPU_COST_EMULATED is set, what it does is counted, too.

   For each launch and size a line of JSON goes to the file GPU_COST_OUT. A launch is idle when it stores nothing and
   its atomic operations leave global memory as it was. */
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

/* From LLVM's interface for C, whose headers are not needed for this; Oclgrind links the library. */
extern "C" int LLVMGetInstructionOpcode(const void *instruction);
extern "C" const void *LLVMGetCalledValue(const void *call);
extern "C" const void *LLVMIsAFunction(const void *value);
extern "C" int LLVMIsDeclaration(const void *function);
extern "C" const char *LLVMGetValueName2(const void *value, size_t *length);
enum { LLVM_RET = 1, LLVM_CALL = 45 };

namespace
{

enum { BANKS = 32, BANK_BYTES = 4, SECTOR_BYTES = 32 };
enum Kind {
    LOCAL_LOAD,
    LOCAL_STORE,
    LOCAL_ATOMIC,
    GLOBAL_LOAD,
    GLOBAL_STORE,
    GLOBAL_ATOMIC,
    SUBGROUP_OP,
    KINDS
};
const char *const kind_names[KINDS] = {"local_load",   "local_store",   "local_atomic", "global_load",
                                       "global_store", "global_atomic", "subgroup_op"};

struct Access {
    size_t item, address, size;
};
typedef std::vector<Access> Request;

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

/* units: wavefronts of local memory, sectors of global memory; widest: most lanes of a request */
struct Sum {
    unsigned long long lanes, bytes, requests, units, widest;

    void add(Kind kind, const Request &request)
    {
        requests++;
        lanes += request.size();
        widest = std::max<unsigned long long>(widest, request.size());
        for (const Access &a : request) bytes += a.size;
        if (kind < GLOBAL_LOAD) units += wavefronts(request, kind == LOCAL_ATOMIC);
        else if (kind < SUBGROUP_OP) units += sectors(request);
    }
};
typedef std::array<Sum, KINDS> Sums;

/* What the work-items of a group have done since the last barrier. */
class Phase
{
  public:
    void note(const llvm::Instruction *instruction, Kind kind, const Access &access)
    {
        Done &done = places[{instruction, kind}];
        if (done.times.size() <= access.item) done.times.resize(access.item + 1);
        const size_t time = done.times[access.item]++;
        if (done.by_time.size() <= time) done.by_time.resize(time + 1);
        done.by_time[time].push_back(access);
    }

    /* Oclgrind runs one work-item after the other: those of a sub-group stand together. */
    void add_to(Sums &sums, size_t lanes) const
    {
        Request request;
        for (const auto &place : places)
            for (const Request &all : place.second.by_time)
                for (const Access &access : all) {
                    request.push_back(access);
                    if (&access != &all.back() && (&access)[1].item / lanes == access.item / lanes) continue;
                    sums[place.first.kind].add(place.first.kind, request);
                    request.clear();
                }
    }

    void clear() { places.clear(); }

  private:
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
    struct Done {
        std::vector<size_t> times; /* by work-item */
        std::vector<Request> by_time;
    };
    std::unordered_map<Place, Done, PlaceHash> places;
};

/* Which work-items are in such a function */
class SubgroupOps
{
  public:
    bool has(size_t item) const { return item < calls.size() && calls[item].depth > 0; }
    bool has_any() const { return inside > 0; }
    void use_memory(size_t item) { calls[item].memory = true; }

    /* Does the instruction end an operation? */
    bool ends(size_t item, const llvm::Instruction *instruction)
    {
        const int opcode = LLVMGetInstructionOpcode(instruction);
        if (opcode == LLVM_CALL) enter(item, LLVMIsAFunction(LLVMGetCalledValue(instruction)));
        if (opcode != LLVM_RET || !has(item) || --calls[item].depth > 0) return false;
        inside--;
        return calls[item].memory;
    }

  private:
    struct Call {
        size_t depth; /* with calls in it */
        bool memory;
    };
    std::vector<Call> calls; /* by work-item */
    size_t inside = 0;

    void enter(size_t item, const void *function)
    {
        if (!function || LLVMIsDeclaration(function) || !(has(item) || is_operation(function))) return;
        if (calls.size() <= item) calls.resize(item + 1);
        Call &call = calls[item];
        if (call.depth++ > 0) return;
        call.memory = false;
        inside++;
    }

    static bool is_operation(const void *function)
    {
        size_t length;
        return strstr(LLVMGetValueName2(function, &length), "_sg_") != nullptr;
    }
};

struct Launch {
    unsigned long long groups, barriers;
    std::map<size_t, Sums> sums;                         // by lanes of a sub-group
    std::map<size_t, std::vector<unsigned char>> before; // what atomic operations found first, by address

    bool is_idle(const oclgrind::Memory *memory) const
    {
        if (sums.begin()->second[GLOBAL_STORE].lanes > 0) return false;
        for (const auto &b : before) {
            if (memcmp(memory->getPointer(b.first), b.second.data(), b.second.size()) != 0) return false;
        }
        return true;
    }
};

class Cost : public oclgrind::Plugin
{
  public:
    explicit Cost(const oclgrind::Context *context) : Plugin(context)
    {
        const char *text = getenv("GPU_COST_LANES"), *path = getenv("GPU_COST_OUT");
        char *end = nullptr;
        for (; text && *text; text = *end == ',' ? end + 1 : end) {
            lanes.push_back(strtoul(text, &end, 10));
            if (!lanes.back()) break;
        }
        out = path ? fopen(path, "a") : stderr;
        if (lanes.empty() || !lanes.back() || !out) {
            fprintf(stderr, "gpu-cost: bad GPU_COST_LANES or GPU_COST_OUT\n");
            exit(1);
        }
    }

    bool isThreadSafe() const override { return false; }

    void kernelBegin(const oclgrind::KernelInvocation *) override
    {
        launch = Launch();
        for (size_t n : lanes) launch.sums[n] = Sums();
    }

    void kernelEnd(const oclgrind::KernelInvocation *invocation) override
    {
        const oclgrind::Size3 size = invocation->getLocalSize();
        const bool idle = launch.is_idle(m_context->getGlobalMemory());
        for (const auto &sums : launch.sums) {
            fprintf(out, "{\"kernel\": \"%s\", \"subgroup\": %zu, \"group\": %zu, \"groups\": %llu, ",
                    invocation->getKernel()->getName().c_str(), sums.first, size.x * size.y * size.z,
                    launch.groups);
            fprintf(out, "\"barriers\": %llu, \"idle\": %s", launch.barriers, idle ? "true" : "false");
            for (int k = 0; k < KINDS; k++) {
                const Sum &s = sums.second[k];
                fprintf(out, ", \"%s\": {\"lanes\": %llu, \"bytes\": %llu, \"requests\": %llu, ",
                        kind_names[k], s.lanes, s.bytes, s.requests);
                fprintf(out, "\"units\": %llu, \"widest\": %llu}", s.units, s.widest);
            }
            fprintf(out, "}\n");
        }
        fflush(out);
    }

    void instructionExecuted(const oclgrind::WorkItem *item, const llvm::Instruction *instruction,
                             const oclgrind::TypedValue &) override
    {
        const size_t id = item->getLocalID().x;
        if (subgroup_ops.ends(id, instruction))
            phase.note(item->getCurrentInstruction(), SUBGROUP_OP, {id, 0, 0});
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
        if (emulated || !subgroup_ops.has_any()) launch.barriers++;
        end_phase();
    }

    void workGroupComplete(const oclgrind::WorkGroup *) override
    {
        launch.groups++;
        end_phase();
    }

  private:
    std::vector<size_t> lanes;
    FILE *out;
    Launch launch;
    Phase phase;
    SubgroupOps subgroup_ops;
    const bool emulated = getenv("GPU_COST_EMULATED") != nullptr;

    void note(const oclgrind::Memory *memory, const oclgrind::WorkItem *item, size_t address, size_t size,
              Kind local, Kind global)
    {
        const unsigned space = memory->getAddressSpace();
        const size_t id = item->getLocalID().x;
        if (space != oclgrind::AddrSpaceLocal && space != oclgrind::AddrSpaceGlobal) return;
        if (subgroup_ops.has(id)) {
            subgroup_ops.use_memory(id);
            if (!emulated) return;
        }
        phase.note(item->getCurrentInstruction(), space == oclgrind::AddrSpaceLocal ? local : global,
                   {id, address, size});
    }

    void end_phase()
    {
        for (auto &sums : launch.sums) phase.add_to(sums.second, sums.first);
        phase.clear();
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
