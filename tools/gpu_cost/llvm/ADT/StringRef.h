/* StringRef.h - stands in for LLVM's: Oclgrind's headers return one, and plugin.cpp never calls those functions. */
#pragma once
namespace llvm
{
class StringRef
{
    const char *data;
    decltype(sizeof 0) length;
};
} // namespace llvm
