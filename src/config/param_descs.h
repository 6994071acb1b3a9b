/* Expands a parameter table to descriptors of struct PARAM_STRUCT; see config/param.h. No include guard: used once per table. */
#define PARAM_U32_ROW(name, def, min, max, unit, doc, quiet) \
    {#name, PARAM_TYPE_U32, offsetof(PARAM_STRUCT, name), (def), (min), (max), NULL, NULL, unit, doc, quiet},
#define PARAM_U32(name, def, min, max, unit, doc) PARAM_U32_ROW(name, def, min, max, unit, doc, false)
#define PARAM_U32_QUIET(name, def, min, max, unit, doc) PARAM_U32_ROW(name, def, min, max, unit, doc, true)
#define PARAM_DECIMAL(name, def, min, max, unit, doc) \
    {#name,                                   \
     PARAM_TYPE_DECIMAL,                      \
     offsetof(PARAM_STRUCT, name),            \
     (uint64_t)((def) * 1000.0 + 0.5),        \
     (uint64_t)((min) * 1000.0 + 0.5),        \
     (uint64_t)((max) * 1000.0 + 0.5),        \
     NULL,                                    \
     NULL,                                    \
     unit,                                    \
     doc,                                     \
     false},
#define PARAM_BOOL_ROW(name, def, doc, quiet) {#name, PARAM_TYPE_BOOL, offsetof(PARAM_STRUCT, name), (def), 0, 1, NULL, NULL, "", doc, quiet},
#define PARAM_BOOL(name, def, doc) PARAM_BOOL_ROW(name, def, doc, false)
#define PARAM_BOOL_QUIET(name, def, doc) PARAM_BOOL_ROW(name, def, doc, true)
#define PARAM_ENUM_ROW(name, def, choices, doc, quiet) \
    {#name, PARAM_TYPE_ENUM, offsetof(PARAM_STRUCT, name), (def), 0, 0, (choices), NULL, "", doc, quiet},
#define PARAM_ENUM(name, def, choices, doc) PARAM_ENUM_ROW(name, def, choices, doc, false)
#define PARAM_ENUM_QUIET(name, def, choices, doc) PARAM_ENUM_ROW(name, def, choices, doc, true)
#define PARAM_STR(name, def, doc) {#name, PARAM_TYPE_STR, offsetof(PARAM_STRUCT, name), 0, 0, 0, NULL, (def), "", doc, false},
#define PARAM_STR_QUIET(name, def, doc) {#name, PARAM_TYPE_STR, offsetof(PARAM_STRUCT, name), 0, 0, 0, NULL, (def), "", doc, true},
