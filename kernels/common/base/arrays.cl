/* arrays.cl - macros to apply to each of a program's input arrays. The program lists its arrays once, in a macro of its
   own such as GPI_INPUT_ARRAYS(use, to), which is use(to, type, name) for each array:

       kernel's parameters   GPI_INPUT_ARRAYS(GPI_ARRAY_PARAMETER, _)
       members of a struct   GPI_INPUT_ARRAYS(GPI_ARRAY_MEMBER, _)
       setting the struct s  GPI_INPUT_ARRAYS(GPI_ARRAY_SET, s)

   Offsets are in elements. */
#ifndef GPI_BASE_ARRAYS_CL
#define GPI_BASE_ARRAYS_CL
#define GPI_ARRAY_PARAMETER(to, type, name) __global const type *name, ulong name##_offset,
#define GPI_ARRAY_MEMBER(to, type, name) __global const type *name;
#define GPI_ARRAY_SET(to, type, name) (to).name = name + name##_offset;
#endif
