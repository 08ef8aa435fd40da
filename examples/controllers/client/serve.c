/* SPDX-License-Identifier: MIT */
/* A server by libmicrohttpd, run by a loop. */
#include "serve.h"

#include "client.h"
#include "tls.h"

#include <microhttpd.h>

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES_OF_HEADERS ((size_t)32768)
#define REQUEST_MS 10000 /* from the beginning of a connection, or the header of a request, to its last byte */
#define IDLE_MS 120000   /* between two requests; clients that keep connections longer must open others */
#define BODIES 32        /* of the longest kind at the same time; what is more is refused */
#define LOOK_MS 1000     /* how often it is looked for connections that are late */

/* A connection, which is cut off when it is due. */
struct link {
  struct MHD_Connection *connection;
  int64_t due;
  struct link *next, **at;
};

/* A request under way. */
struct visit {
  struct request request;
  struct server *server;
  struct MHD_Connection *connection;
  const struct page *page;
  struct MHD_Response *response; /* NULL: not answered yet */
  unsigned status;
  rebal_text *body;
  bool is_too_long, is_handled;
};

struct server {
  const struct server_options *options;
  struct MHD_Daemon *daemon;
  int descriptor;
  struct link *links;
  size_t bytes; /* of all bodies */
  int64_t inspected;
  struct request *waiting;
  bool has_answers; /* that libmicrohttpd has not taken yet */
  bool is_ending;   /* no request waits any more: libmicrohttpd ends the process when a connection is suspended then */
};

/* ---- connections ------------------------------------------------------------------------------------------------- */

static void note_connection(void *user, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode code) {
  struct server *server = user;
  struct link *link = *context;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    link = calloc(1, sizeof *link);
    *context = link;
    if (link != NULL) {
      *link = (struct link){connection, now_in_milliseconds() + REQUEST_MS, server->links, &server->links};
      server->links = link;
      if (link->next != NULL) {
        link->next->at = &link->next;
      }
    }
  } else if (link != NULL) {
    *link->at = link->next;
    if (link->next != NULL) {
      link->next->at = link->at;
    }
    free(link);
  }
}

/* After how long the connection is cut off; negative: not now. */
static void set_due(struct MHD_Connection *connection, int64_t milliseconds) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  struct link *link = info != NULL ? info->socket_context : NULL;
  if (link != NULL) {
    link->due = milliseconds < 0 ? INT64_MAX : now_in_milliseconds() + milliseconds;
  }
}

/* libmicrohttpd only limits how long a connection is silent: one that sends a byte now and then would stay. */
static void cut_off_late(struct server *server, int64_t now) {
  if (now - server->inspected < LOOK_MS) {
    return;
  }
  server->inspected = now;
  for (struct link *link = server->links; link != NULL; link = link->next) {
    if (link->due < now) {
      const union MHD_ConnectionInfo *info =
          MHD_get_connection_info(link->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
      link->due = INT64_MAX;
      if (info != NULL) {
        (void)shutdown(info->connect_fd, SHUT_RDWR);
      }
    }
  }
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static const struct page *find_page(const struct server *server, const char *path) {
  const struct page *page = server->options->pages;
  while (page->path != NULL && strcmp(page->path, path) != 0) {
    page++;
  }
  return page->path != NULL ? page : NULL;
}

static enum MHD_Result answer_at_once(struct MHD_Connection *connection, unsigned status, const char *allowed) {
  struct MHD_Response *response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
  enum MHD_Result result = MHD_NO;
  if (response != NULL) {
    if (allowed != NULL) {
      (void)MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allowed);
    }
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
  }
  return result;
}

/* The header has come. Status of a refusal, or 0. */
static unsigned examine_header(const struct server *server, struct MHD_Connection *connection, const struct page *page,
                               const char *method) {
  const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  const bool is_post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
  const bool is_get = strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
  if (page == NULL) {
    return MHD_HTTP_NOT_FOUND;
  }
  if (page->has_body ? !is_post : !is_get) {
    return MHD_HTTP_METHOD_NOT_ALLOWED;
  }
  if (length != NULL && strtoull(length, NULL, 10) > (page->has_body ? server->options->body : 0)) {
    return MHD_HTTP_CONTENT_TOO_LARGE;
  }
  return 0;
}

/* "10s", as API servers write it. */
static int64_t timeout_of(struct MHD_Connection *connection) {
  const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "timeout");
  char *end = NULL;
  const long seconds = text != NULL ? strtol(text, &end, 10) : 0;
  return text != NULL && strcmp(end, "s") == 0 && seconds > 0 && seconds < 3600 ? seconds * 1000 : 0;
}

static enum MHD_Result begin(struct server *server, struct MHD_Connection *connection, const char *path,
                             const char *method, struct visit **out) {
  const struct page *page = find_page(server, path);
  const unsigned status = examine_header(server, connection, page, method);
  struct visit *visit;
  set_due(connection, REQUEST_MS);
  if (status != 0) {
    return answer_at_once(connection, status,
                          status != MHD_HTTP_METHOD_NOT_ALLOWED ? NULL
                          : page->has_body                      ? "POST"
                                                                : "GET, HEAD");
  }
  visit = calloc(1, sizeof *visit);
  if (visit == NULL || (page->has_body && rebal_text_new(&visit->body, NULL) != REBAL_OK)) {
    free(visit);
    return MHD_NO;
  }
  *visit = (struct visit){
      .server = server, .connection = connection, .page = page, .body = visit->body, .is_handled = false};
  visit->request.path = page->path;
  visit->request.timeout = timeout_of(connection);
  *out = visit;
  return MHD_YES;
}

/* A body that is too long, which only one without a length can be, is read to its end, or until it is late. */
static void take_body(struct visit *visit, const char *bytes, size_t len) {
  struct server *server = visit->server;
  const size_t longest = server->options->body;
  size_t had = 0;
  if (visit->body != NULL) {
    (void)rebal_text_bytes(visit->body, &had);
  }
  if (visit->body == NULL || visit->is_too_long || had + len > longest || server->bytes + len > longest * BODIES ||
      rebal_text_append(visit->body, bytes, len, NULL) != REBAL_OK) {
    visit->is_too_long = true;
  } else {
    server->bytes += len;
  }
}

static void wait_for_answer(struct visit *visit) {
  struct request **end = &visit->server->waiting;
  while (*end != NULL) {
    end = &(*end)->next;
  }
  *end = &visit->request;
  MHD_suspend_connection(visit->connection);
}

/* All of it has come. */
static enum MHD_Result handle(struct visit *visit) {
  if (visit->is_too_long) {
    return answer_at_once(visit->connection, MHD_HTTP_CONTENT_TOO_LARGE, NULL);
  }
  if (visit->server->is_ending) {
    return answer_at_once(visit->connection, MHD_HTTP_SERVICE_UNAVAILABLE, NULL);
  }
  visit->is_handled = true;
  visit->request.arrived = now_in_milliseconds();
  if (visit->body != NULL) {
    visit->request.body = rebal_text_bytes(visit->body, &visit->request.len);
  }
  set_due(visit->connection, -1);
  wait_for_answer(visit);
  visit->page->handle(&visit->request, visit->server->options->user);
  return MHD_YES;
}

/* Without memory for a response the connection is closed. */
static enum MHD_Result send_answer(struct visit *visit) {
  set_due(visit->connection, REQUEST_MS);
  return visit->response != NULL ? MHD_queue_response(visit->connection, visit->status, visit->response) : MHD_NO;
}

static enum MHD_Result take_request(void *user, struct MHD_Connection *connection, const char *path, const char *method,
                                    const char *version, const char *bytes, size_t *len, void **context) {
  struct visit *visit = *context;
  (void)version;
  if (visit == NULL) {
    enum MHD_Result result = begin(user, connection, path, method, &visit);
    *context = visit;
    return result;
  }
  if (*len > 0) {
    take_body(visit, bytes, *len);
    *len = 0;
    return MHD_YES;
  }
  return visit->is_handled ? send_answer(visit) : handle(visit);
}

static void end_request(void *user, struct MHD_Connection *connection, void **context,
                        enum MHD_RequestTerminationCode code) {
  struct visit *visit = *context;
  (void)user;
  (void)code;
  set_due(connection, IDLE_MS);
  if (visit != NULL) {
    size_t had = 0;
    if (visit->body != NULL) {
      (void)rebal_text_bytes(visit->body, &had);
      visit->server->bytes -= had;
    }
    if (visit->response != NULL) {
      MHD_destroy_response(visit->response);
    }
    rebal_text_free(visit->body);
    free(visit);
  }
  *context = NULL;
}

struct request *server_waiting(const struct server *server) {
  return server->waiting;
}

void request_answer(struct request *request, unsigned status, const char *content_type, const char *text, size_t len) {
  struct visit *visit = (struct visit *)request; /* its first member */
  struct request **at = &visit->server->waiting;
  visit->status = status;
  visit->response = MHD_create_response_from_buffer(len, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
  if (visit->response != NULL) {
    (void)MHD_add_response_header(visit->response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type);
  }
  while (*at != request) {
    at = &(*at)->next;
  }
  *at = request->next;
  visit->server->has_answers = true;
  MHD_resume_connection(visit->connection);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Each connection is a file, and many systems begin with 1,024 of them. */
static void allow_many_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
  }
}

static int listen_at(const struct addrinfo *found) {
  const int yes = 1, no = 0;
  const int descriptor = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) {
    return -1;
  }
  (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (found->ai_family == AF_INET6) {
    (void)setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  }
  if (bind(descriptor, found->ai_addr, found->ai_addrlen) != 0 || listen(descriptor, SOMAXCONN) != 0) {
    const int code = errno;
    (void)close(descriptor);
    errno = code;
    return -1;
  }
  return descriptor;
}

/* 127.0.0.1:8080, [::1]:8080, or :8080 for every address, of IPv6 too where the system has it. */
static int open_socket(const char *address) {
  const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
  const char *port = strrchr(address, ':');
  const bool is_bracketed = address[0] == '[' && port != NULL && port > address && port[-1] == ']';
  char host[256];
  struct addrinfo *found = NULL;
  int descriptor = -1;
  if (port == NULL || port[1] == '\0') {
    say("%s: expected ADDRESS:PORT", address);
    return -1;
  }
  (void)snprintf(host, sizeof host, "%.*s", (int)(port - address) - 2 * is_bracketed, address + is_bracketed);
  const int code = getaddrinfo(host[0] != '\0' ? host : NULL, port + 1, &hints, &found);
  if (code != 0) {
    say("%s: %s", address, gai_strerror(code));
    return -1;
  }
  for (int family = 2; family > 0 && descriptor < 0; family--) { /* IPv6 first: it takes IPv4 as well */
    for (const struct addrinfo *at = found; at != NULL && descriptor < 0; at = at->ai_next) {
      descriptor = (at->ai_family == AF_INET6) == (family == 2) ? listen_at(at) : -1;
    }
  }
  if (descriptor < 0) {
    say("%s: %s", address, strerror(errno));
  }
  freeaddrinfo(found);
  return descriptor;
}

/* With the port that the system chose if the requested port is 0. */
static void say_where(const struct server *server) {
  const struct server_options *options = server->options;
  struct sockaddr_storage address;
  socklen_t len = sizeof address;
  char port[32] = "";
  if (getsockname(server->descriptor, (struct sockaddr *)&address, &len) == 0) {
    (void)getnameinfo((struct sockaddr *)&address, len, NULL, 0, port, sizeof port, NI_NUMERICSERV);
  }
  say("serving %s at %.*s:%s", options->pages[0].path, (int)(strrchr(options->address, ':') - options->address),
      options->address, port);
}

static struct MHD_Daemon *start(struct server *server) {
  const struct server_options *options = server->options;
  const bool has_tls = options->certificate != NULL;
  return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (has_tls ? MHD_USE_TLS : 0), 0, NULL, NULL,
                          take_request, server, MHD_OPTION_LISTEN_SOCKET, server->descriptor,
                          MHD_OPTION_NOTIFY_CONNECTION, note_connection, server, MHD_OPTION_NOTIFY_COMPLETED,
                          end_request, server, MHD_OPTION_CONNECTION_LIMIT, options->connections,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, BYTES_OF_HEADERS,
                          has_tls ? MHD_OPTION_HTTPS_CERT_CALLBACK2 : MHD_OPTION_END, tls_retrieve, MHD_OPTION_END);
}

bool server_open(struct server **out, const struct server_options *options) {
  struct server *server = calloc(1, sizeof *server);
  if (server == NULL || (options->certificate != NULL && !tls_open(options->certificate, options->key))) {
    free(server);
    return false;
  }
  allow_many_files();
  server->options = options;
  server->descriptor = open_socket(options->address);
  if (server->descriptor >= 0) {
    server->daemon = start(server);
    if (server->daemon == NULL) {
      say("%s: libmicrohttpd does not start", options->address);
      (void)close(server->descriptor);
    }
  }
  if (server->daemon == NULL) {
    free(server);
    return false;
  }
  say_where(server);
  *out = server;
  return true;
}

void server_close(struct server *server) {
  static const char text[] = "ending\n";
  if (server == NULL) {
    return;
  }
  server->is_ending = true;
  while (server->waiting != NULL) {
    request_answer(server->waiting, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain", text, sizeof text - 1);
  }
  server_run(server);
  MHD_stop_daemon(server->daemon);
  tls_close();
  free(server);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

int server_descriptor(const struct server *server) {
  return MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int64_t server_wait(const struct server *server, int64_t milliseconds) {
  MHD_UNSIGNED_LONG_LONG wait;
  if (server->has_answers) {
    return 0;
  }
  if (MHD_get_timeout(server->daemon, &wait) == MHD_YES && wait < (MHD_UNSIGNED_LONG_LONG)milliseconds) {
    milliseconds = (int64_t)wait;
  }
  return server->links != NULL && milliseconds > LOOK_MS ? LOOK_MS : milliseconds;
}

void server_run(struct server *server) {
  do {
    server->has_answers = false;
    (void)MHD_run(server->daemon);
  } while (server->has_answers);
  cut_off_late(server, now_in_milliseconds());
}
