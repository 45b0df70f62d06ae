/* SPDX-License-Identifier: MIT */
/* libpq.h: the functions of libpq, which is loaded when it is first used (base/shared_library.h).
 * The table is empty before ps_pq_load. */
#ifndef PS_REPLICA_LIBPQ_H
#define PS_REPLICA_LIBPQ_H

#include <libpq-fe.h>

#include "base/shared_library.h"

#define PS_PQ_FUNCTIONS(F)                                                                         \
    F(PQclear)                                                                                     \
    F(PQconnectdbParams)                                                                           \
    F(PQconninfoFree)                                                                              \
    F(PQconninfoParse)                                                                             \
    F(PQconsumeInput)                                                                              \
    F(PQenterPipelineMode)                                                                         \
    F(PQerrorMessage)                                                                              \
    F(PQexitPipelineMode)                                                                          \
    F(PQfinish)                                                                                    \
    F(PQflush)                                                                                     \
    F(PQfname)                                                                                     \
    F(PQfreemem)                                                                                   \
    F(PQftype)                                                                                     \
    F(PQgetResult)                                                                                 \
    F(PQgetisnull)                                                                                 \
    F(PQgetlength)                                                                                 \
    F(PQgetvalue)                                                                                  \
    F(PQisBusy)                                                                                    \
    F(PQnfields)                                                                                   \
    F(PQntuples)                                                                                   \
    F(PQparameterStatus)                                                                           \
    F(PQpipelineSync)                                                                              \
    F(PQresultErrorField)                                                                          \
    F(PQresultStatus)                                                                              \
    F(PQsendQuery)                                                                                 \
    F(PQsendQueryParams)                                                                           \
    F(PQsetNoticeProcessor)                                                                        \
    F(PQsetSingleRowMode)                                                                          \
    F(PQsetnonblocking)                                                                            \
    F(PQsocket)                                                                                    \
    F(PQstatus)                                                                                    \
    F(PQtransactionStatus)

struct ps_pq {
    PS_PQ_FUNCTIONS(PS_SHARED_POINTER)
};
extern struct ps_pq ps_pq;

enum ps_status ps_pq_load(struct ps_err *err);

#endif
