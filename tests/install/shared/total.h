#include <gpuprim.h>

gp_result total(gp_context *gp, const uint32_t *data, size_t count, uint64_t *sum);
