/* HTTP by libmicrohttpd. Other users of this computer and pages that a browser has open come to the port as well: who
 * does not name the token gets nothing, a page of another name (DNS rebinding: Host) or origin neither. Nothing is read
 * from a file, and no request has a body. */
#include "cli/monitor/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "cli/monitor/page_embedded.h"
#include "config/yaml.h"

#define SECRET 16          /* bytes */
#define TOKEN (2 * SECRET) /* digits */
#define CONNECTIONS 16u
#define PATIENCE 10u                      /* seconds for which a connection may say nothing */
#define CONNECTION_MEMORY ((size_t)16384) /* for a request: what is longer is refused */
#define URL_MOST 200
#define LAST_ANSWER 0.5 /* seconds for which an answer may take when the run has ended */
#define STEP_MOST UINT64_C(1000000000000000)
#define NONCE "@nonce@"

struct monitor_server {
    struct monitor_service service;
    struct MHD_Daemon *daemon;
    char token[TOKEN + 1], nonce[TOKEN + 1];
    char address[64 + TOKEN];
    char hosts[2][32]; /* by which it may be asked, with the port */
    double begun;
    atomic_uint under_way; /* requests */
};

struct request {
    struct monitor_server *server;
    struct MHD_Connection *connection;
};

static enum MHD_Result answer(const struct request *request, unsigned status, const char *type, struct strbuf *body)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(body->length, (void *)(uintptr_t)strbuf_text(body), MHD_RESPMEM_MUST_COPY);
    struct strbuf policy = {0};
    strbuf_free(body);
    if (!response)
        return MHD_NO;
    strbuf_addf(&policy,
                "default-src 'none'; script-src 'nonce-%s'; style-src 'nonce-%s'; connect-src 'self'; "
                "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                request->server->nonce, request->server->nonce);
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Content-Security-Policy", strbuf_text(&policy));
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, "Allow", "GET, POST");
    enum MHD_Result queued = MHD_queue_response(request->connection, status, response);
    MHD_destroy_response(response);
    strbuf_free(&policy);
    return queued;
}

static enum MHD_Result answer_json(const struct request *request, unsigned status, json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);
    struct strbuf body = {0};
    strbuf_addf(&body, "%s\n", text ? text : "{}");
    free(text);
    json_decref(object);
    return answer(request, status, "application/json", &body);
}

static enum MHD_Result refuse(const struct request *request, unsigned status, const char *why)
{
    return answer_json(request, status, json_pack("{s:s}", "error", why));
}

static enum MHD_Result get_page(const struct request *request)
{
    struct strbuf body = {0};
    const char *at = monitor_page;
    for (const char *mark; (mark = strstr(at, NONCE)); at = mark + strlen(NONCE)) {
        strbuf_addn(&body, at, (size_t)(mark - at));
        strbuf_add(&body, request->server->nonce);
    }
    strbuf_add(&body, at);
    return answer(request, MHD_HTTP_OK, "text/html; charset=utf-8", &body);
}

/* The text at the board is JSON already. */
static enum MHD_Result get_state(const struct request *request)
{
    const struct monitor_server *server = request->server;
    json_t *head = json_object(), *target = json_string(server->service.target);
    struct strbuf body = {0};
    json_object_set_new(head, "target", target ? target : json_string("?"));
    json_object_set_new(head, "seconds", json_real(host_seconds() - server->begun));
    char *text = json_dumps(head, JSON_COMPACT);
    json_decref(head);
    strbuf_addf(&body, "%.*s,\"now\":", text ? (int)strlen(text) - 1 : 0, text ? text : "");
    free(text);
    size_t length = body.length;
    monitor_board_read(server->service.board, &body);
    strbuf_add(&body, body.length == length ? "null}\n" : "}\n");
    return answer(request, MHD_HTTP_OK, "application/json", &body);
}

static enum MHD_Result ask(const struct request *request, enum monitor_wish wish, uint64_t cycles)
{
    uint32_t number = monitor_board_ask(request->server->service.board, wish, cycles);
    return answer_json(request, MHD_HTTP_OK, json_pack("{s:I}", "order", (json_int_t)number));
}

static enum MHD_Result post_run(const struct request *request)
{
    return ask(request, MONITOR_RUN, 0);
}

static enum MHD_Result post_pause(const struct request *request)
{
    return ask(request, MONITOR_PAUSE, 0);
}

static enum MHD_Result post_window(const struct request *request)
{
    return ask(request, MONITOR_WINDOW, 0);
}

static enum MHD_Result post_step(const struct request *request)
{
    const char *text = MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, "cycles");
    uint64_t cycles;
    if (!text || !config_parse_u64(text, &cycles) || !cycles || cycles > STEP_MOST)
        return refuse(request, MHD_HTTP_BAD_REQUEST, "step needs cycles=N, a number from 1 to 10^15");
    return ask(request, MONITOR_STEP, cycles);
}

static enum MHD_Result post_checkpoint(const struct request *request)
{
    if (!request->server->service.checkpoints)
        return refuse(request, MHD_HTTP_CONFLICT, "checkpoints need --checkpoint FILE when the run is started");
    uint32_t number = monitor_board_ask_checkpoint(request->server->service.board);
    return answer_json(request, MHD_HTTP_OK, json_pack("{s:I}", "checkpoints_asked", (json_int_t)number));
}

static const struct route {
    const char *path, *method;
    enum MHD_Result (*take)(const struct request *request);
} routes[] = {
    {"", "GET", get_page},
    {"state", "GET", get_state},
    {"run", "POST", post_run},
    {"pause", "POST", post_pause},
    {"step", "POST", post_step},
    {"window", "POST", post_window},
    {"checkpoint", "POST", post_checkpoint},
};

/* Takes as long for a wrong token as for the right one, if it has as many digits. */
static bool is_token(const char *given, const char *token)
{
    unsigned differs = 0;
    if (strnlen(given, TOKEN) != TOKEN)
        return false;
    for (size_t i = 0; i < TOKEN; i++)
        differs |= (unsigned char)given[i] ^ (unsigned char)token[i];
    return !differs;
}

static bool is_own_host(const struct monitor_server *server, const char *host)
{
    return host && (strcmp(host, server->hosts[0]) == 0 || strcmp(host, server->hosts[1]) == 0);
}

/* Browsers say from what page a request comes when it acts. */
static bool is_own_origin(const struct monitor_server *server, const char *origin)
{
    static const char scheme[] = "http://";
    return !origin || (strncmp(origin, scheme, strlen(scheme)) == 0 && is_own_host(server, origin + strlen(scheme)));
}

static const char *header(const struct request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result take(const struct request *request, const char *url, const char *method)
{
    const struct monitor_server *server = request->server;
    const char *length = header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (!is_own_host(server, header(request, MHD_HTTP_HEADER_HOST)) ||
        !is_own_origin(server, header(request, MHD_HTTP_HEADER_ORIGIN)))
        return refuse(request, MHD_HTTP_FORBIDDEN, "the address is not the one that lockstep printed");
    if (strlen(url) > URL_MOST)
        return refuse(request, MHD_HTTP_URI_TOO_LONG, "the address is too long");
    if (url[0] != '/' || !is_token(url + 1, server->token) || url[1 + TOKEN] != '/')
        return refuse(request, MHD_HTTP_FORBIDDEN, "the address lacks the token that lockstep printed");
    if ((length && strcmp(length, "0") != 0) || header(request, MHD_HTTP_HEADER_TRANSFER_ENCODING))
        return refuse(request, MHD_HTTP_CONTENT_TOO_LARGE, "no request has a body");
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (strcmp(url + TOKEN + 2, routes[i].path) == 0)
            return strcmp(method, routes[i].method) == 0
                       ? routes[i].take(request)
                       : refuse(request, MHD_HTTP_METHOD_NOT_ALLOWED, "GET is for looking, POST for acting");
    return refuse(request, MHD_HTTP_NOT_FOUND, "there is nothing of that name");
}

/* Called once for a request's head, and then for its body, if it had none. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *data, size_t *data_bytes, void **state)
{
    struct monitor_server *server = context;
    const struct request request = {server, connection};
    (void)version, (void)data;
    if (!*state)
        atomic_fetch_add(&server->under_way, 1);
    *state = server; /* on_completed will hear of it */
    return *data_bytes ? MHD_NO : take(&request, url, method);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode how)
{
    struct monitor_server *server = context;
    (void)connection, (void)how;
    if (*state)
        atomic_fetch_sub(&server->under_way, 1);
}

static int draw(char *digits, struct diag_sink *sink)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[SECRET];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return diag_error(sink, DIAG_NOWHERE, NULL, "--monitor: the system has no random numbers for a token");
    for (size_t i = 0; i < SECRET; i++) {
        digits[2 * i] = hex[bytes[i] >> 4];
        digits[2 * i + 1] = hex[bytes[i] & 15];
    }
    digits[TOKEN] = '\0';
    return 0;
}

/* Opens the port, on the loopback address alone. Returns a socket, or -1 with a diagnostic; *port receives the one that
 * was chosen. */
static int listen_at(unsigned *port, struct diag_sink *sink)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t bytes = sizeof at;
    int yes = 1, file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (file >= 0)
        setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (file < 0 || bind(file, (struct sockaddr *)&at, sizeof at) < 0 || listen(file, CONNECTIONS) < 0 ||
        getsockname(file, (struct sockaddr *)&at, &bytes) < 0) {
        diag_error(sink, DIAG_NOWHERE, errno == EADDRINUSE ? "another port, or --monitor 0 for any that is free" : NULL,
                   "--monitor %u: cannot serve at this port: %s", *port, strerror(errno));
        if (file >= 0)
            close(file);
        return -1;
    }
    *port = ntohs(at.sin_port);
    return file;
}

/* The server's thread takes no signals: they are for those that run things. */
static struct MHD_Daemon *begin_daemon(struct monitor_server *server, int file)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL, NULL, on_request, server,
                         MHD_OPTION_LISTEN_SOCKET, file, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
                         MHD_OPTION_CONNECTION_TIMEOUT, PATIENCE, MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY,
                         MHD_OPTION_NOTIFY_COMPLETED, on_completed, server, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return daemon;
}

static struct monitor_server *begin(const struct monitor_service *service, struct diag_sink *sink)
{
    struct monitor_server *server = base_calloc(1, sizeof *server);
    unsigned port = service->port;
    int file = -1;
    server->service = *service;
    server->begun = host_seconds();
    if (draw(server->token, sink) == 0 && draw(server->nonce, sink) == 0)
        file = listen_at(&port, sink);
    if (file >= 0) {
        snprintf(server->hosts[0], sizeof server->hosts[0], "127.0.0.1:%u", port);
        snprintf(server->hosts[1], sizeof server->hosts[1], "localhost:%u", port);
        snprintf(server->address, sizeof server->address, "http://%s/%s/", server->hosts[0], server->token);
        server->daemon = begin_daemon(server, file);
        if (server->daemon)
            return server;
        diag_error(sink, DIAG_NOWHERE, NULL, "--monitor: the server cannot be started");
        close(file);
    }
    free(server);
    return NULL;
}

static const char *address_of(const struct monitor_server *server)
{
    return server->address;
}

/* Who has just let the run go on to its end is still answered. */
static void end(struct monitor_server *server)
{
    const struct timespec time = {0, 5000000};
    for (double until = host_seconds() + LAST_ANSWER; atomic_load(&server->under_way) && host_seconds() < until;)
        nanosleep(&time, NULL);
    MHD_stop_daemon(server->daemon);
    free(server);
}

__attribute__((visibility("default"))) const struct monitor_server_module *lockstep_monitor_server(void);

const struct monitor_server_module *lockstep_monitor_server(void)
{
    static const struct monitor_server_module module = {begin, address_of, end};
    return &module;
}
