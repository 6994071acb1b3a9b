/* NVTX: marks and ranges for profilers. They say nothing here: `lockstep run --profile` names kernels and lines by
 * itself. Inline, so that no library is needed (-lnvToolsExt is accepted). */
#ifndef NVTX_VERSION
#define NVTX_VERSION 3

#include <stddef.h>
#include <stdint.h>

#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_SUCCESS 0
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration *nvtxStringHandle_t;
typedef struct nvtxResourceRegistration *nvtxResourceHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef union nvtxPayloadValue_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
} nvtxPayloadValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    nvtxPayloadValue_t payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

/* Functions that do nothing; those with a result give a constant. */
#define LOCKSTEP_NVTX(NAME, PARAMETERS)                                                                                \
    static inline void NAME PARAMETERS                                                                                 \
    {                                                                                                                  \
    }
#define LOCKSTEP_NVTX_GIVES(TYPE, VALUE, NAME, PARAMETERS)                                                             \
    static inline TYPE NAME PARAMETERS                                                                                 \
    {                                                                                                                  \
        return VALUE;                                                                                                  \
    }
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
LOCKSTEP_NVTX(nvtxInitialize, (const void *reserved))
LOCKSTEP_NVTX(nvtxMarkA, (const char *message))
LOCKSTEP_NVTX(nvtxMarkW, (const wchar_t *message))
LOCKSTEP_NVTX(nvtxMarkEx, (const nvtxEventAttributes_t *attributes))
LOCKSTEP_NVTX_GIVES(int, 0, nvtxRangePushA, (const char *message))
LOCKSTEP_NVTX_GIVES(int, 0, nvtxRangePushW, (const wchar_t *message))
LOCKSTEP_NVTX_GIVES(int, 0, nvtxRangePushEx, (const nvtxEventAttributes_t *attributes))
LOCKSTEP_NVTX_GIVES(int, 0, nvtxRangePop, (void))
LOCKSTEP_NVTX_GIVES(nvtxRangeId_t, 0, nvtxRangeStartA, (const char *message))
LOCKSTEP_NVTX_GIVES(nvtxRangeId_t, 0, nvtxRangeStartW, (const wchar_t *message))
LOCKSTEP_NVTX_GIVES(nvtxRangeId_t, 0, nvtxRangeStartEx, (const nvtxEventAttributes_t *attributes))
LOCKSTEP_NVTX(nvtxRangeEnd, (nvtxRangeId_t id))
LOCKSTEP_NVTX(nvtxNameCategoryA, (uint32_t category, const char *name))
LOCKSTEP_NVTX(nvtxNameCategoryW, (uint32_t category, const wchar_t *name))
LOCKSTEP_NVTX(nvtxNameOsThreadA, (uint32_t thread, const char *name))
LOCKSTEP_NVTX(nvtxNameOsThreadW, (uint32_t thread, const wchar_t *name))
LOCKSTEP_NVTX_GIVES(nvtxDomainHandle_t, 0, nvtxDomainCreateA, (const char *name))
LOCKSTEP_NVTX_GIVES(nvtxDomainHandle_t, 0, nvtxDomainCreateW, (const wchar_t *name))
LOCKSTEP_NVTX(nvtxDomainDestroy, (nvtxDomainHandle_t domain))
LOCKSTEP_NVTX(nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes))
LOCKSTEP_NVTX_GIVES(int, 0, nvtxDomainRangePushEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes))
LOCKSTEP_NVTX_GIVES(int, 0, nvtxDomainRangePop, (nvtxDomainHandle_t domain))
LOCKSTEP_NVTX_GIVES(nvtxRangeId_t, 0, nvtxDomainRangeStartEx,
                    (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes))
LOCKSTEP_NVTX(nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t id))
LOCKSTEP_NVTX(nvtxDomainNameCategoryA, (nvtxDomainHandle_t domain, uint32_t category, const char *name))
LOCKSTEP_NVTX_GIVES(nvtxStringHandle_t, 0, nvtxDomainRegisterStringA, (nvtxDomainHandle_t domain, const char *string))
LOCKSTEP_NVTX_GIVES(nvtxStringHandle_t, 0, nvtxDomainRegisterStringW,
                    (nvtxDomainHandle_t domain, const wchar_t *string))
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#undef LOCKSTEP_NVTX
#undef LOCKSTEP_NVTX_GIVES

#if defined(UNICODE)
#define nvtxMark nvtxMarkW
#define nvtxRangePush nvtxRangePushW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#endif

#endif
