/* Ends a table's expansion; see config/param.h. */
#undef PARAM_U32
#undef PARAM_DECIMAL
#undef PARAM_BOOL
#undef PARAM_ENUM
#undef PARAM_STR
#undef PARAM_STRUCT
