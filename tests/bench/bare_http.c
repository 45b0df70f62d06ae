/* SPDX-License-Identifier: MIT */
/*
 * bare_http THREADS CONNECTIONS FILE...: libmicrohttpd and nothing else, as what perfshelf's own
 * server is measured against: the bytes of the files at /0, /1, ..., each as one answer that is
 * made once, with the flags and limits of server/http/http.c. Prints its port; ends with its
 * standard input.
 */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FILES_MAX 32

static struct MHD_Response *answers[FILES_MAX];
static int n_answers;

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **context)
{
    int file = atoi(url + 1);

    (void)cls, (void)method, (void)version, (void)data, (void)size;
    if (!*context) { /* the headers; the answer follows when the body, of no bytes, is complete */
        *context = answers;
        return MHD_YES;
    }
    return file < n_answers ? MHD_queue_response(connection, 200, answers[file]) : MHD_NO;
}

static struct MHD_Response *read_answer(const char *path)
{
    FILE *in = fopen(path, "rb");
    struct MHD_Response *response;
    char *bytes;
    long len;

    if (!in || fseek(in, 0, SEEK_END) != 0 || (len = ftell(in)) < 0) {
        perror(path);
        exit(1);
    }
    rewind(in);
    bytes = malloc((size_t)len + 1);
    if (!bytes || fread(bytes, 1, (size_t)len, in) != (size_t)len) {
        perror(path);
        exit(1);
    }
    (void)fclose(in);
    response = MHD_create_response_from_buffer((size_t)len, bytes, MHD_RESPMEM_MUST_FREE);
    (void)MHD_add_response_header(response, "Content-Type", "application/json");
    return response;
}

int main(int argc, char **argv)
{
    const struct sockaddr_in here = {.sin_family = AF_INET,
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *daemon;
    char byte;

    if (argc < 4 || argc - 3 > FILES_MAX) {
        fputs("usage: bare_http THREADS CONNECTIONS FILE...\n", stderr);
        return 2;
    }
    for (int i = 3; i < argc; i++)
        answers[n_answers++] = read_answer(argv[i]);
    daemon = MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, NULL,
        MHD_OPTION_SOCK_ADDR, &here, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)atoi(argv[1]),
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)atoi(argv[2]), MHD_OPTION_CONNECTION_TIMEOUT, 30U,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_END);
    if (!daemon) {
        fputs("bare_http: the server does not start\n", stderr);
        return 1;
    }
    printf("%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    (void)fflush(stdout);
    while (read(0, &byte, 1) > 0)
        ;
    MHD_stop_daemon(daemon);
    for (int i = 0; i < n_answers; i++)
        MHD_destroy_response(answers[i]);
    return 0;
}
