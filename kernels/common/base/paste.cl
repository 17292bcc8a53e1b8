/* paste.cl - joins names, as in GPI_PASTE(convert_, float), and names the vectors of a type. */
#ifndef GPI_BASE_PASTE_CL
#define GPI_BASE_PASTE_CL
#define GPI_PASTE_(a, b) a##b
#define GPI_PASTE(a, b) GPI_PASTE_(a, b)
/* GPI_VECTOR is the vector of 16 elements of a type, GPI_QUAD that of 4. GPI_CONVERT converts v to the vector of 16. */
#define GPI_VECTOR(type) GPI_PASTE(type, 16)
#define GPI_QUAD(type) GPI_PASTE(type, 4)
#define GPI_CONVERT(type, v) GPI_PASTE(convert_, GPI_VECTOR(type))(v)
/* True if p is aligned as a vector of four. */
#define GPI_IS_QUAD(type, p) ((size_t)(p) % sizeof(GPI_QUAD(type)) == 0)
/* Loads four elements from p on. `aligned`: p is aligned as a vector of four. */
#define GPI_READ_QUAD(type, p, aligned) \
    ((aligned) ? *(__global const GPI_QUAD(type) *)(p) : (GPI_QUAD(type))((p)[0], (p)[1], (p)[2], (p)[3]))
#endif
