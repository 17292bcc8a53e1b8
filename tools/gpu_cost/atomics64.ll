; atomics64.ll - OpenCL's 64-bit atomic operations on global (1) and local (3) memory, which libclc has not got for GPUs.
; Relaxed, as OpenCL C 1.2 has them.

define i64 @_Z9atom_xchgPU3AS1Vmm(ptr addrspace(1) %p, i64 %v) alwaysinline {
  %old = atomicrmw volatile xchg ptr addrspace(1) %p, i64 %v monotonic
  ret i64 %old
}

define i64 @_Z7atom_orPU3AS1Vmm(ptr addrspace(1) %p, i64 %v) alwaysinline {
  %old = atomicrmw volatile or ptr addrspace(1) %p, i64 %v monotonic
  ret i64 %old
}

define i64 @_Z8atom_addPU3AS1Vmm(ptr addrspace(1) %p, i64 %v) alwaysinline {
  %old = atomicrmw volatile add ptr addrspace(1) %p, i64 %v monotonic
  ret i64 %old
}

define i64 @_Z12atom_cmpxchgPU3AS1Vmmm(ptr addrspace(1) %p, i64 %expected, i64 %v) alwaysinline {
  %pair = cmpxchg volatile ptr addrspace(1) %p, i64 %expected, i64 %v monotonic monotonic
  %old = extractvalue { i64, i1 } %pair, 0
  ret i64 %old
}

define i64 @_Z9atom_xchgPU3AS3Vmm(ptr addrspace(3) %p, i64 %v) alwaysinline {
  %old = atomicrmw volatile xchg ptr addrspace(3) %p, i64 %v monotonic
  ret i64 %old
}

define i64 @_Z7atom_orPU3AS3Vmm(ptr addrspace(3) %p, i64 %v) alwaysinline {
  %old = atomicrmw volatile or ptr addrspace(3) %p, i64 %v monotonic
  ret i64 %old
}

define i64 @_Z8atom_addPU3AS3Vmm(ptr addrspace(3) %p, i64 %v) alwaysinline {
  %old = atomicrmw volatile add ptr addrspace(3) %p, i64 %v monotonic
  ret i64 %old
}

define i64 @_Z12atom_cmpxchgPU3AS3Vmmm(ptr addrspace(3) %p, i64 %expected, i64 %v) alwaysinline {
  %pair = cmpxchg volatile ptr addrspace(3) %p, i64 %expected, i64 %v monotonic monotonic
  %old = extractvalue { i64, i1 } %pair, 0
  ret i64 %old
}
