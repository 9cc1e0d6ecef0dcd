// The functions of CUDA's runtime that the library calls, for a program in which each can be made to fail. A test
// compares this list with the undefined symbols of the built library: a new call needs one more line here.
// CALL(name, parameters, arguments)
#pragma once

#define GPUPAR_CUDA_CALLS(CALL)                                                                                      \
  CALL(cudaDeviceCanAccessPeer, (int* reaches, int device, int peer), (reaches, device, peer))                       \
  CALL(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), (peer, flags))                                        \
  CALL(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr what, int device), (value, what, device))                 \
  CALL(cudaDeviceSynchronize, (), ())                                                                                \
  CALL(cudaDriverGetVersion, (int* version), (version))                                                              \
  CALL(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))                              \
  CALL(cudaEventDestroy, (cudaEvent_t event), (event))                                                               \
  CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))                                   \
  CALL(cudaEventSynchronize, (cudaEvent_t event), (event))                                                           \
  CALL(cudaFree, (void* memory), (memory))                                                                           \
  CALL(cudaFreeAsync, (void* memory, cudaStream_t stream), (memory, stream))                                         \
  CALL(cudaFreeHost, (void* memory), (memory))                                                                       \
  CALL(cudaGetDevice, (int* device), (device))                                                                       \
  CALL(cudaGetDeviceCount, (int* count), (count))                                                                    \
  CALL(cudaGetDeviceProperties, (cudaDeviceProp * properties, int device), (properties, device))                     \
  CALL(cudaGetDriverEntryPointByVersion,                                                                             \
       (const char* symbol, void** entry, unsigned version, unsigned long long flags,                                \
        cudaDriverEntryPointQueryResult* found),                                                                     \
       (symbol, entry, version, flags, found))                                                                       \
  CALL(cudaGetFuncBySymbol, (cudaFunction_t * function, const void* symbol), (function, symbol))                     \
  CALL(cudaHostAlloc, (void** memory, size_t bytes, unsigned flags), (memory, bytes, flags))                         \
  CALL(cudaHostRegister, (void* memory, size_t bytes, unsigned flags), (memory, bytes, flags))                       \
  CALL(cudaHostUnregister, (void* memory), (memory))                                                                 \
  CALL(cudaLaunchKernelExC, (const cudaLaunchConfig_t* shape, const void* kernel, void** arguments),                 \
       (shape, kernel, arguments))                                                                                   \
  CALL(cudaMalloc, (void** memory, size_t bytes), (memory, bytes))                                                   \
  CALL(cudaMallocFromPoolAsync, (void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),              \
       (memory, bytes, pool, stream))                                                                                \
  CALL(cudaMallocHost, (void** memory, size_t bytes), (memory, bytes))                                               \
  CALL(cudaMallocManaged, (void** memory, size_t bytes, unsigned flags), (memory, bytes, flags))                     \
  CALL(cudaMemGetInfo, (size_t * free, size_t * total), (free, total))                                               \
  CALL(cudaMemPoolCreate, (cudaMemPool_t * pool, const cudaMemPoolProps* properties), (pool, properties))            \
  CALL(cudaMemPoolGetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr what, void* value), (pool, what, value))        \
  CALL(cudaMemPoolSetAccess, (cudaMemPool_t pool, const cudaMemAccessDesc* who, size_t count), (pool, who, count))   \
  CALL(cudaMemPoolSetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr what, void* value), (pool, what, value))        \
  CALL(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t kept), (pool, kept))                                           \
  CALL(cudaMemPrefetchAsync,                                                                                         \
       (const void* memory, size_t bytes, cudaMemLocation where, unsigned flags, cudaStream_t stream),               \
       (memory, bytes, where, flags, stream))                                                                        \
  CALL(cudaMemcpy, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind), (to, from, bytes, kind))         \
  CALL(cudaMemcpyAsync, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),        \
       (to, from, bytes, kind, stream))                                                                              \
  CALL(cudaMemsetAsync, (void* memory, int byte, size_t bytes, cudaStream_t stream), (memory, byte, bytes, stream))  \
  CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor,                                                                \
       (int* blocks, const void* kernel, int threads, size_t shared_bytes), (blocks, kernel, threads, shared_bytes)) \
  CALL(cudaPointerGetAttributes, (cudaPointerAttributes * attributes, const void* pointer), (attributes, pointer))   \
  CALL(cudaSetDevice, (int device), (device))                                                                        \
  CALL(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))                          \
  CALL(cudaStreamDestroy, (cudaStream_t stream), (stream))                                                           \
  CALL(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus * status), (stream, status))             \
  CALL(cudaStreamSynchronize, (cudaStream_t stream), (stream))                                                       \
  CALL(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))        \
  CALL(cudaThreadExchangeStreamCaptureMode, (cudaStreamCaptureMode * mode), (mode))
