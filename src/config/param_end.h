/* Ends a table's expansion; see config/param.h. */
#undef PARAM_U32
#undef PARAM_U32_QUIET
#undef PARAM_U32_ROW
#undef PARAM_DECIMAL
#undef PARAM_BOOL
#undef PARAM_BOOL_QUIET
#undef PARAM_BOOL_ROW
#undef PARAM_ENUM
#undef PARAM_ENUM_QUIET
#undef PARAM_ENUM_ROW
#undef PARAM_STR
#undef PARAM_STR_QUIET
#undef PARAM_STRUCT
