/* args.cl - the caller's arguments: values and buffers that the expressions of a call name (gp_arg).

   A kernel that evaluates expressions has these arguments as parameters, ahead of those of its input. They are passed with the
   input:

       kernel        GPI_ARGS_PARAMETERS ...    GPI_ARGS_SET(input)
       input         GPI_ARGS_MEMBER
       expression    gpi_map(GPI_ARGS_OF(input) x, i)

   or, if there is no input, from function to function:

       kernel        f(GPI_ARGS_HERE ...)
       function      f(GPI_ARGS_PARAMETER ...)    gpi_map(GPI_ARGS_PASSED x, i)

   The prelude defines:
       GPI_ARGS               1: the call has arguments. Only in this case the rest is defined
       gpi_args               a struct of the arguments
       GPI_ARGS_PARAMETERS    a kernel's parameters, with a comma at their end
       GPI_ARGS_VALUE         a gpi_args made of these parameters                                       */
#ifndef GPI_BASE_ARGS_CL
#define GPI_BASE_ARGS_CL

#if GPI_ARGS
#define GPI_ARGS_MEMBER gpi_args args;
#define GPI_ARGS_SET(input) (input).args = GPI_ARGS_VALUE;
#define GPI_ARGS_OF(input) (input).args,
#define GPI_ARGS_HERE GPI_ARGS_VALUE,
#define GPI_ARGS_PARAMETER gpi_args args,
#define GPI_ARGS_PASSED args,
#else
#define GPI_ARGS_PARAMETERS
#define GPI_ARGS_MEMBER
#define GPI_ARGS_SET(input)
#define GPI_ARGS_OF(input)
#define GPI_ARGS_HERE
#define GPI_ARGS_PARAMETER
#define GPI_ARGS_PASSED
#endif
#endif
