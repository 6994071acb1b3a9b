/* Expands a parameter table to struct fields; see config/param.h. No include guard: used once per table. */
#define PARAM_U32(name, def, min, max, unit, doc) uint32_t name;
#define PARAM_DECIMAL(name, def, min, max, unit, doc) uint32_t name;
#define PARAM_BOOL(name, def, doc) bool name;
#define PARAM_BOOL_QUIET(name, def, doc) bool name;
#define PARAM_ENUM(name, def, choices, doc) uint32_t name;
#define PARAM_ENUM_QUIET(name, def, choices, doc) uint32_t name;
#define PARAM_STR(name, def, doc) const char *name;
#define PARAM_STR_QUIET(name, def, doc) const char *name;
#define PARAM_U32_QUIET(name, def, min, max, unit, doc) uint32_t name;
