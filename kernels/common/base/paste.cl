/* paste.cl - names put together: GPI_PASTE(convert_, float) and the like; vectors of a type. */
#ifndef GPI_BASE_PASTE_CL
#define GPI_BASE_PASTE_CL
#define GPI_PASTE_(a, b) a##b
#define GPI_PASTE(a, b) GPI_PASTE_(a, b)
/* The vectors of 16 and of 4 elements of a type, and the conversion to the former. */
#define GPI_VECTOR(type) GPI_PASTE(type, 16)
#define GPI_QUAD(type) GPI_PASTE(type, 4)
#define GPI_CONVERT(type, v) GPI_PASTE(convert_, GPI_VECTOR(type))(v)
/* Four elements from p on; `aligned`: a vector is there. */
#define GPI_READ_QUAD(type, p, aligned) \
    ((aligned) ? *(__global const GPI_QUAD(type) *)(p) : (GPI_QUAD(type))((p)[0], (p)[1], (p)[2], (p)[3]))
/* Element i of p, a vector of 2 or 4, part by part: compilers make vectors of loops over scalars only. */
#define GPI_READ_PART(part, p, i) ((__global const part *)(p))[i]
#define GPI_READ_PARTS_2(type, part, p, i) \
    ((type)(GPI_READ_PART(part, p, 2 * (i)), GPI_READ_PART(part, p, 2 * (i) + 1)))
#define GPI_READ_PARTS_4(type, part, p, i)                                        \
    ((type)(GPI_READ_PART(part, p, 4 * (i)), GPI_READ_PART(part, p, 4 * (i) + 1), \
            GPI_READ_PART(part, p, 4 * (i) + 2), GPI_READ_PART(part, p, 4 * (i) + 3)))
#endif
