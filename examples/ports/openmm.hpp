// openmm.hpp - OpenMM's OpenCLSort, by gpuprim. Include OpenCLContext.h and ComputeSort.h first, and this instead of
// OpenCLSort.h. In namespace OpenMM; elements of any size up to 256 bytes are sorted by the trait's key, stably.
#pragma once
#include "port.hpp"

#include <string>

namespace OpenMM
{

class OpenCLSort : public ComputeSortImpl
{
  public:
    // Takes the trait, as OpenMM's does. `uniform` was a hint on how keys are distributed, which makes no difference here.
    OpenCLSort(OpenCLContext &cl, SortTrait *sorted_by, unsigned int length, bool = true)
        : trait(sorted_by), owner(cl), elements(length),
          gp(cl.getContext()(), cl.getDevice()(), cl.getQueue()()), element(type_name(trait->getDataType())),
          key(type_name(trait->getKeyType()))
    {
        functions =
            "inline " + key + " sort_key_of(" + element + " value) { return " + trait->getSortKey() + "; }";
    }

    void sort(ArrayInterface &data)
    {
        if (data.getSize() != elements || data.getElementSize() != size_t(trait->getDataSize()))
            throw OpenMMException("OpenCLSort: the array has not the size that the sort was made for");
        const gp_record record = {element.c_str(), size_t(trait->getDataSize()), functions.c_str()};
        const gp_sort_column column = {"sort_key_of(x)", number(key), false};
        gp_sort_records_desc d = {};
        d.in = d.out = owner.unwrap(data).getDeviceBuffer()();
        d.record = &record;
        d.columns = &column;
        d.column_count = 1;
        d.count = elements;
        if (gp_sort_records(gp, &d) != GP_OK) throw OpenMMException(gp_last_error(gp));
    }

  private:
    static std::string type_name(const std::string &name) { return name == "unsigned int" ? "uint" : name; }

    static gp_type number(const std::string &name)
    {
        static const struct {
            const char *name;
            gp_type type;
        } known[] = {{"int", GP_I32},      {"uint", GP_U32},  {"long", GP_I64},  {"mm_long", GP_I64},
                     {"mm_ulong", GP_U64}, {"float", GP_F32}, {"double", GP_F64}};
        for (const auto &k : known)
            if (name == k.name) return k.type;
        throw OpenMMException("OpenCLSort: no key type " + name);
    }

    std::unique_ptr<SortTrait> trait;
    OpenCLContext &owner;
    size_t elements;
    port::context gp;
    std::string element, key, functions;
};

} // namespace OpenMM
