/* The parser's inside: shared by parse_*.c, symbols.c and lower.c, seen by nobody else.
 *
 * One pass: statements become decoded instructions as they are read. What needs the end of a function (label targets,
 * register numbers) is settled by lower.c when its `}` is reached; what needs the end of the module (addresses in
 * initialisers, shared-memory offsets) when the text ends. An error is reported where it is found, and reading goes on
 * after the next `;` or at the next `}`. */
#ifndef LOCKSTEP_PTX_PARSE_H
#define LOCKSTEP_PTX_PARSE_H

#include "base/bits.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "ptx/lex.h"
#include "ptx/ptx.h"
#include "ptx/words.h"

enum {
    PTX_MAX_SCOPES = 64,        /* nested { } */
    PTX_MAX_DEPTH = 64,         /* nested parentheses and initialiser braces */
    PTX_MAX_DECLARED = 1 << 20, /* virtual registers declared in a function */
    PTX_MAX_USED = 65535,       /* virtual registers used in a function: isa_reg.number is 16 bits */
    PTX_MAX_FRAME = 1 << 24,    /* bytes of local memory of a function */
    PTX_MAX_PARAM = 1 << 20,    /* bytes of a kernel's parameters */
    PTX_MAX_FILE = 1 << 16,     /* .file numbers */
    PTX_OPAQUE_BYTES = 128,     /* of a module's variable that is a texture or surface: a description (simt/image.h) */
    PTX_MAX_ELEMENTS = 8,       /* of a vector operand */
    PTX_MAX_OPERANDS = 8,
    PTX_MAX_WORDS = 24,  /* suffixes of a mnemonic */
    PTX_MAX_ERRORS = 100 /* after which reading stops */
};
#define PTX_MAX_VARIABLE (UINT64_C(1) << 40)
#define PTX_NONE UINT32_MAX

enum ptx_symbol_kind {
    PTX_SYMBOL_REG,      /* index: virtual number of the first; count; elements of each (1, 2, 4) */
    PTX_SYMBOL_VARIABLE, /* index into variables */
    PTX_SYMBOL_FUNCTION, /* index into functions */
    PTX_SYMBOL_PARAM,    /* kernel parameter: offset, bytes in the parameter block */
    PTX_SYMBOL_FRAME,    /* .local or .param variable: offset, bytes in the local frame */
    PTX_SYMBOL_PROTO,    /* .callprototype or .calltargets: index into protos */
    PTX_SYMBOL_TARGETS,  /* .branchtargets: index into target_lists */
};

/* PARAM variables are inputs. */
enum ptx_role {
    PTX_ROLE_LOCAL,  /* a .local variable */
    PTX_ROLE_PASSED, /* a .param variable that is an argument or result of calls here: it has no address */
    PTX_ROLE_INPUT,  /* a parameter of the function being read: read only */
    PTX_ROLE_RESULT  /* its result: written only */
};

struct ptx_symbol {
    uint8_t kind, type, elements;
    bool is_range;
    bool is_wide;     /* REG: 128 bits, which are two elements of 64 */
    uint8_t role;     /* FRAME, PARAM: what the variable is for, an enum ptx_role */
    const char *name; /* not terminated */
    uint32_t length;
    uint32_t scope;   /* depth at which it was declared; 0 is the module */
    uint32_t shadows; /* the symbol of that name that it hides, or PTX_NONE */
    uint32_t index, count;
    uint32_t offset, bytes;
};

/* A word of the text that stands for an instruction: resolved at the end of the function. */
struct ptx_label {
    struct ptx_token token;
    uint32_t scope; /* number of the { } it stands in */
    uint32_t pc;
};
struct ptx_label_ref {
    struct ptx_token token;
    uint32_t scope;
    uint32_t pc;   /* of the branch */
    uint32_t slot; /* index into targets, PTX_NONE for `target` */
};
struct ptx_target_list {
    uint32_t first, count; /* in target_tokens */
    uint32_t scope;
};
struct ptx_proto {
    bool is_list; /* .calltargets: no signature */
    uint32_t result_count, arg_count;
};

struct ptx_used_reg {
    uint32_t virtual_number;
    uint8_t type;
    const char *name;
};

/* A map from 64-bit keys to 32-bit values; 0 is an ordinary key. */
struct ptx_map64 {
    struct ptx_map64_slot *slots;
    uint32_t count, capacity;
};
void ptx_map64_put(struct ptx_map64 *map, uint64_t key, uint32_t value);
uint32_t ptx_map64_get(const struct ptx_map64 *map, uint64_t key); /* PTX_NONE when absent */
void ptx_map64_clear(struct ptx_map64 *map);
void ptx_map64_free(struct ptx_map64 *map);

struct ptx_scope {
    uint32_t number;       /* unique in the function, from 1 */
    uint32_t parent;       /* number of the enclosing one, 0 for none */
    uint32_t first_symbol; /* symbols from here on belong to it or to scopes inside */
    uint32_t frame_top;    /* where the next frame variable of the enclosing scope goes */
    bool keeps_frame;      /* holds a .local variable, whose address may live on */
};

/* A `.loc`: see parse_loc.c. */
struct ptx_loc {
    uint32_t file, line, column;
    uint32_t inlined;  /* number in the parser's `inlined`, from 1; 0: none */
    uint32_t pc;       /* of the next instruction */
    bool is_ambiguous; /* others of that place said something else: */
    uint32_t other;    /* one of these, number in the body's `locs`, from 1; 0: there is none */
};
/* A call that was inlined, before the name of the function is known. */
struct ptx_inlined {
    uint32_t label, offset; /* of the name: index into names_at, PTX_NONE for none; bytes behind it */
    uint32_t file, line;    /* of the call */
    uint32_t outer, depth;  /* as in struct isa_inlined; how many it is inside of, with itself */
};
/* Where a label stands among the bytes of debug strings. */
struct ptx_name_at {
    bool is_known;
    size_t at;
};

/* State of the function that is being read. */
struct ptx_body {
    uint32_t function;
    bool is_kernel;
    VEC(struct ptx_used_reg) regs;
    struct ptx_map64 reg_of; /* virtual number -> index into regs */
    uint32_t declared;       /* virtual numbers given out */
    VEC(struct ptx_label) labels;
    VEC(struct ptx_label_ref) refs;
    VEC(struct ptx_token) target_tokens;
    VEC(struct ptx_target_list) target_lists;
    VEC(struct ptx_proto) protos;
    VEC(uint32_t) scope_parents; /* by scope number */
    struct ptx_scope scopes[PTX_MAX_SCOPES + 1];
    uint32_t depth; /* scopes[1..depth] are open */
    uint32_t frame_top, frame_bytes;
    uint32_t frame_at; /* .pragma "lockstep.at N": offset of the next frame variable, or PTX_NONE */
    uint32_t source_file, source_line, inlined;
    VEC(struct ptx_loc) locs; /* one of each place */
    struct ptx_map64 loc_of;  /* hash of a place -> index into locs */
    uint32_t own_file, own_line; /* of the last `.loc` that is of the function's own code; 0: there was none */
    bool too_many_regs;
    bool marks_spin;                /* .pragma "lockstep.spin" stands before the next instruction */
    VEC(struct ptx_symbol) formals; /* .reg parameters, copied from and to the frame */
    uint32_t result_formals;        /* how many of them are results */
};

/* An address in an initialiser, resolved at the end of the module. */
struct ptx_pending_reloc {
    struct ptx_token token;
    uint32_t variable;
    struct isa_reloc reloc;
};
struct ptx_alias {
    uint32_t alias;
    struct ptx_token target;
};

struct ptx_parser {
    struct isa_module *module;
    struct arena *arena; /* the module's */
    struct diag_sink *sink;
    struct ptx_words words;
    struct ptx_lexer lexer;
    const char *text, *text_end;
    struct ptx_token token; /* the next token */
    struct ptx_token last;  /* the one before it */
    unsigned errors, warnings;
    bool stop;                           /* too many errors */
    unsigned given_up, kernels_given_up; /* errors in bodies that were given up, and kernels among these: give_up.c */
    struct diag_sink given_up_said;

    VEC(struct isa_instr) instrs;
    VEC(struct isa_function) functions;
    VEC(struct isa_variable) variables;
    VEC(bool) hoisted; /* by variable: declared inside a function */
    VEC(const char *) files;
    VEC(struct ptx_pending_reloc) relocs;
    VEC(struct ptx_alias) aliases;

    VEC(struct ptx_inlined) inlined;
    struct ptx_map64 inlined_of; /* hash of an entry -> index into inlined */
    struct strmap label_of;      /* labels of debug strings -> index into names_at */
    VEC(struct ptx_name_at) names_at;
    VEC(char) debug_bytes; /* of all debug strings */

    VEC(struct ptx_symbol) symbols;
    struct strmap names;  /* exact names -> symbols */
    struct strmap ranges; /* prefixes of register ranges -> symbols */
    struct ptx_body body;
};

/* --- spin.c: marks the branches and insides of the loops that `.pragma "lockstep.spin"` names, in [first, end) --- */
void ptx_find_spins(struct isa_instr *instrs, uint32_t first, uint32_t end);

/* --- give_up.c: bodies with errors --- */
struct ptx_held {
    struct diag_sink *sink, said; /* the parser's own; what was said since */
    unsigned errors;
};
/* Keeps what is said from here on, until ptx_must_give_up. */
void ptx_hold_errors(struct ptx_parser *p, struct ptx_held *held);
/* Decides on the body read since `held` began, to its end if `closed`. Returns true if it is given up in favour of
 * `instead`; otherwise its messages count. */
bool ptx_must_give_up(struct ptx_parser *p, struct ptx_held *held, bool closed, struct isa_instr *instead);
/* At the module's end: errors of bodies that were given up count where no kernel is left. */
void ptx_judge_given_up(struct ptx_parser *p);

/* --- parse.c: tokens and errors --- */
void ptx_advance(struct ptx_parser *p);
bool ptx_accept(struct ptx_parser *p, char punct);
bool ptx_accept_dot(struct ptx_parser *p, const char *word);
/* Consumes the punctuation, or reports what stands there instead. */
int ptx_expect(struct ptx_parser *p, char punct, const char *where);
/* Report at a token; -1. hint may be NULL. */
int ptx_error(struct ptx_parser *p, const struct ptx_token *at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void ptx_warning(struct ptx_parser *p, const struct ptx_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found `token`" at the next token; -1. */
int ptx_expected(struct ptx_parser *p, const char *what);
/* Skips to after the next `;`, or to before the `}` that closes the present block. */
void ptx_recover(struct ptx_parser *p);
/* Skips a balanced { ... } whose { is the next token. */
void ptx_skip_braces(struct ptx_parser *p);
const char *ptx_copy(struct ptx_parser *p, const struct ptx_token *token);

/* --- symbols.c --- */
/* Declares a symbol (name, length, kind and what it needs set) in the present scope; its index, or PTX_NONE after an
 * error. */
uint32_t ptx_declare(struct ptx_parser *p, const struct ptx_token *name, struct ptx_symbol symbol);
/* The innermost symbol of that exact name, or NULL. */
struct ptx_symbol *ptx_lookup(struct ptx_parser *p, const char *name, size_t n);
/* The innermost register of that name, also as member of a range; *virtual_number receives its number. NULL when there
 * is none. */
struct ptx_symbol *ptx_lookup_reg(struct ptx_parser *p, const struct ptx_token *name, uint32_t *virtual_number);
int ptx_open_scope(struct ptx_parser *p);
void ptx_close_scope(struct ptx_parser *p);
/* Index into body.regs of a virtual register that an operand names, making it known at first use; element is 0 but for
 * vectors. */
uint32_t ptx_use_reg(struct ptx_parser *p, const struct ptx_token *name, const struct ptx_symbol *symbol,
                     uint32_t number);

/* --- parse_expr.c --- */
struct ptx_constant {
    bool is_float, is_unsigned;
    uint8_t image; /* as in struct ptx_number */
    uint64_t integer;
    double real;
};
/* A constant expression. */
int ptx_parse_constant(struct ptx_parser *p, struct ptx_constant *value);
/* An integer constant expression within [low, high]. */
int ptx_parse_integer(struct ptx_parser *p, int64_t low, int64_t high, int64_t *value);
/* The bits of a constant in a type; -1 when a type of floating point is given an integer or an integer type a float. */
int ptx_constant_bits(const struct ptx_constant *value, enum isa_type type, uint64_t *bits);

/* --- parse_decl.c --- */
/* One declared thing: `.align 4 .v2 .b8 name[3][4]`. */
struct ptx_declarator {
    struct ptx_token name; /* kind PTX_TOKEN_END when there is none */
    uint8_t type, elements;
    bool is_ptr, is_unsized;
    bool is_opaque; /* a texture, sampler or surface */
    uint32_t align;
    uint64_t count; /* elements of the array, 1 for scalars */
    uint64_t bytes;
};
/* Reads alignment, type, name and dimensions. */
int ptx_parse_declarator(struct ptx_parser *p, struct ptx_declarator *d);
/* A declaration whose state space is the next token, up to and with its `;`. */
int ptx_parse_declaration(struct ptx_parser *p, bool is_extern);
/* Returns true if the next token begins a declaration of a variable or register. */
bool ptx_at_declaration(const struct ptx_parser *p);
/* Room for a variable in the present function's frame; its offset, or PTX_NONE after an error. */
uint32_t ptx_frame_alloc(struct ptx_parser *p, const struct ptx_token *at, uint64_t bytes, uint32_t align);

/* --- parse_init.c --- */
/* An initialiser, after `=`: sets init, init_bytes and, for an array without a size, d->count and d->bytes. */
int ptx_parse_initialiser(struct ptx_parser *p, struct ptx_declarator *d, uint32_t variable);

/* --- parse_module.c --- */
int ptx_parse_module(struct ptx_parser *p);
/* .file, .section, .pragma and other directives that may stand anywhere; 1 when the next token was one and has been
 * read. */
int ptx_parse_common_directive(struct ptx_parser *p);

/* --- parse_func.c --- */
/* .entry or .func, the next token, with its parameters, directives and body. */
int ptx_parse_function(struct ptx_parser *p, bool is_extern);
/* Refuses, with -1, names for variables, functions and parameters that registers have or that only disassembly gives.
 */
int ptx_check_name(struct ptx_parser *p, const struct ptx_token *name);
/* A list of parameters without names bound to anything: `(.param .b32 _, ...)`; counts them. */
int ptx_parse_signature(struct ptx_parser *p, uint32_t *count);

/* --- parse_body.c --- */
int ptx_parse_body(struct ptx_parser *p);

/* --- parse_loc.c --- */
/* `.loc`, the next token; ends with its line, without `;`. */
int ptx_parse_loc(struct ptx_parser *p);
/* At a function's end: gives its instructions from `first` on that have line 0 those of their neighbours. */
void ptx_settle_lines(struct ptx_parser *p, uint32_t first);
/* The inside of `.section .debug_str { ... }`, as far as it is labels and bytes. */
void ptx_parse_debug_strings(struct ptx_parser *p);
/* At the module's end: gives it what was inlined where, with names. */
void ptx_settle_inlined(struct ptx_parser *p);

/* --- parse_operand.c --- */
enum ptx_value_kind {
    PTX_VALUE_SINK,
    PTX_VALUE_REG,
    PTX_VALUE_PRED,
    PTX_VALUE_SREG,
    PTX_VALUE_CONSTANT,
    PTX_VALUE_VARIABLE,
    PTX_VALUE_PARAM,
    PTX_VALUE_FRAME,
    PTX_VALUE_FUNCTION,
    PTX_VALUE_OUTSIDE /* a special register outside the model */
};
struct ptx_value {
    uint8_t kind, type; /* type: of a register */
    bool negate;
    uint8_t role;   /* of a FRAME or PARAM variable: enum ptx_role */
    uint32_t index; /* register (into body.regs), special register, variable or function */
    int64_t offset; /* added to an address */
    struct ptx_constant constant;
    struct ptx_token token;
};
enum ptx_shape { PTX_PLAIN, PTX_PAIR, PTX_VECTOR, PTX_ADDRESS, PTX_IMAGE };
struct ptx_raw_operand {
    uint8_t shape, count;
    bool is_wide; /* a register of 128 bits: a VECTOR of its halves, the lower first */
    struct ptx_token token;
    struct ptx_value values[PTX_MAX_ELEMENTS];
};
int ptx_parse_value(struct ptx_parser *p, struct ptx_value *value);
int ptx_parse_operand(struct ptx_parser *p, struct ptx_raw_operand *raw);

/* --- forms.c: which suffixes go together --- */
struct ptx_suffixes {
    const struct isa_instr *instr;      /* with the modifiers that the suffixes gave it */
    const struct ptx_token *op, *words; /* the mnemonic; the suffixes */
    unsigned count;
};
/* Returns 0, or -1 with an error at the first suffix that goes with none of the instruction's forms, or at the mnemonic
 * where one is missing. */
int ptx_check_forms(struct ptx_parser *p, const struct ptx_suffixes *suffixes);

/* --- check.c: raw operands against the opcode's row --- */
int ptx_bind_operands(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_raw_operand *raw, unsigned count,
                      const struct ptx_token *at);
/* --- present.c: the optional operands that the suffixes ask for are there, and no others --- */
int ptx_check_present(struct ptx_parser *p, const struct isa_instr *instr, const struct ptx_token *at);

/* One value as an operand of the type. */
int ptx_bind_value(struct ptx_parser *p, const struct ptx_value *value, enum isa_type type, bool wider_ok,
                   struct isa_operand *operand);

/* --- parse_instr.c --- */
/* A statement that begins with a guard or a mnemonic, up to and with its `;`. */
int ptx_parse_instr(struct ptx_parser *p);
/* Appends an instruction, with what follows from op, types and modifiers filled in. */
uint32_t ptx_emit(struct ptx_parser *p, struct isa_instr *instr);

/* --- parse_wmma.c --- */
/* A wmma whose mnemonic and suffixes have been read, up to its `;`: emits what it becomes, and returns 0. Returns 1, with nothing
 * read, when it is outside the model. */
int ptx_parse_wmma(struct ptx_parser *p, const struct ptx_suffixes *suffixes);

/* Reads a text in the place of the present statement, whose `;` is the next token; what it has none of are guards, and its
 * instructions get that of `like`. at: the statement's mnemonic. */
int ptx_read_instead(struct ptx_parser *p, const struct isa_instr *like, const char *text, size_t length,
                     const struct ptx_token *at);

/* --- parse_tensormap.c --- */
/* A tensormap whose mnemonic and suffixes have been read, up to its `;`. Returns 0: it is in *instr; 2: it has emitted what it
 * becomes; 1: it is outside the model; or -1 with an error. */
int ptx_parse_tensormap(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_suffixes *suffixes);

/* --- parse_policy.c --- */
/* A createpolicy whose mnemonic and suffixes have been read: its operands, up to the `;`. It becomes a mov. Returns 0, or -1 with
 * an error. */
int ptx_parse_policy(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_suffixes *suffixes);

/* --- parse_matrix.c --- */
/* The operands of a product of matrices, whose suffixes have been read. */
int ptx_parse_product(struct ptx_parser *p, struct isa_instr *instr);
/* Of wgmma: the operands; dst_count says the columns. */
int ptx_parse_asynchronous(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_token *at);
/* A shape of wgmma: sets the instruction's shape, and its dst_count to a number that says the columns. False when it is none. */
bool ptx_take_shape(const struct ptx_token *word, struct isa_instr *instr);

/* --- parse_call.c --- */
int ptx_parse_call(struct ptx_parser *p, struct isa_instr *instr, const struct ptx_token *at);

/* Copies the .reg parameters of the present function: arguments from the frame (is_load), or results to it. */
void ptx_emit_formals(struct ptx_parser *p, const struct isa_instr *like, bool is_load);

/* --- lower.c --- */
/* Settles the function whose body ended: labels, register numbers, what is read and written, the frame. */
void ptx_finish_function(struct ptx_parser *p);
/* Settles the module: addresses in initialisers, aliases, names of variables, shared-memory offsets; moves the arrays
 * to its arena. */
void ptx_finish_module(struct ptx_parser *p);

#endif
