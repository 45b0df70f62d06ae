/* SPDX-License-Identifier: MIT */
/* used_at_import.c: the packages that programs use while their modules are executed. */
#include "server/query/imports/import_graph.h"

static const char *const packages[] = {
    /* bases of classes, and descriptions of data */
    "abc",
    "attr",
    "attrs",
    "beanie",
    "cattrs",
    "collections",
    "dataclasses",
    "enum",
    "marshmallow",
    "mongoengine",
    "msgspec",
    "odmantic",
    "param",
    "peewee",
    "pydantic",
    "pydantic_core",
    "pydantic_settings",
    "sqlalchemy",
    "sqlmodel",
    "tortoise",
    "traitlets",
    "typing",
    "typing_extensions",
    /* routes, commands and tasks that decorators declare */
    "bottle",
    "celery",
    "click",
    "dash",
    "discord",
    "django",
    "dramatiq",
    "falcon",
    "fastapi",
    "flask",
    "functools",
    "graphene",
    "huey",
    "litestar",
    "nicegui",
    "prefect",
    "quart",
    "rest_framework",
    "robyn",
    "sanic",
    "starlette",
    "strawberry",
    "textual",
    "tornado",
    "typer",
    /* patterns that modules compile */
    "re",
    "regex",
    /* tests */
    "hypothesis",
    "pytest",
};

bool ps_is_used_at_import(struct ps_str package)
{
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
        if (ps_str_eq_c(package, packages[i]))
            return true;
    return false;
}
