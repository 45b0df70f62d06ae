/* SPDX-License-Identifier: MIT */
#include "server/cli/commands/report_profiles.h"

#include "importers/kinds.h"

#include <stdio.h>

/* What a profile and a group may share, the most telling first. */
enum bond { COMMIT, COMMAND, SERIES, N_BONDS };

/* The property of a run; "" if it has none. */
static const char *bond_of(const cJSON *run, enum bond bond)
{
    const cJSON *tags = ps_member(run, "tags");
    return bond == SERIES ? ps_member_text(run, "series")
                          : ps_member_text(tags, bond == COMMIT ? "commit" : "command");
}

static bool has_value(const cJSON *runs, enum bond bond, const char *value)
{
    const cJSON *run;
    cJSON_ArrayForEach(run, runs) if (strcmp(bond_of(run, bond), value) == 0) return true;
    return false;
}

static bool has_any(const cJSON *runs, enum bond bond)
{
    const cJSON *run;
    cJSON_ArrayForEach(run, runs) if (bond_of(run, bond)[0]) return true;
    return false;
}

/* Whether the groups have no value in common, so that it tells them apart. */
static bool tells_apart(const cJSON *base, const cJSON *now, enum bond bond)
{
    const cJSON *run;
    cJSON_ArrayForEach(run, base)
    {
        const char *value = bond_of(run, bond);
        if (value[0] && has_value(now, bond, value))
            return false;
    }
    return has_any(base, bond) || has_any(now, bond);
}

/* "yes" if tracked files were modified. */
static const char *dirty_word(const cJSON *run)
{
    return ps_member_text(ps_member(run, "tags"), "dirty");
}

/* Whether the profile belongs to the group: see report_profiles.h. */
static bool belongs(const cJSON *profile, const cJSON *group, const bool apart[N_BONDS])
{
    bool is_bound = false;
    for (enum bond bond = COMMIT; bond < N_BONDS; bond++) {
        const char *value = bond_of(profile, bond);
        const bool is_shared = value[0] && has_value(group, bond, value);
        if (bond != SERIES && value[0] && !is_shared && has_any(group, bond))
            return false;
        is_bound = is_bound || (is_shared && apart[bond]);
    }
    if (has_any(group, COMMIT) &&
        strcmp(dirty_word(profile), dirty_word(cJSON_GetArrayItem(group, 0))) != 0)
        return false;
    return is_bound && !ps_kind_has(ps_member_text(profile, "kind"), PS_HAS_MEASUREMENTS);
}

/* Asks for the newest runs with a value of the group. */
static enum ps_status ask_runs(struct ps_client *client, enum bond bond, const char *value,
                               cJSON **out, struct ps_err *err)
{
    PS_AUTO(ps_buf_free) struct ps_buf path = {0};
    PS_AUTO(ps_buf_free) struct ps_buf tag = {0};
    ps_buf_printf(&tag, "%s=%s", bond == COMMIT ? "commit" : "command", value);
    ps_buf_puts(&path, "runs?sort=created_at&desc=1&limit=200");
    ps_url_add_param(&path, bond == SERIES ? "series" : "tag", bond == SERIES ? value : tag.ptr);
    return ps_client_read(client, path.ptr, out, err);
}

/* Adds the profiles of a group to the list, the newest first for each value. */
static enum ps_status collect(struct ps_client *client, const cJSON *group,
                              const bool apart[N_BONDS], cJSON *list, struct ps_err *err)
{
    for (enum bond bond = COMMIT; bond < N_BONDS; bond++) {
        const cJSON *run;
        const char *asked = "";
        cJSON_ArrayForEach(run, group)
        {
            PS_AUTO(ps_json_free) cJSON *page = NULL;
            const cJSON *profile;
            const char *value = bond_of(run, bond);
            if (!apart[bond] || !value[0] || strcmp(value, asked) == 0)
                continue;
            asked = value;
            if (ask_runs(client, bond, value, &page, err) != PS_OK)
                return err->code;
            cJSON_ArrayForEach(profile, ps_member(page, "rows"))
            {
                if (belongs(profile, group, apart))
                    cJSON_AddItemToArray(list, cJSON_Duplicate(profile, true));
            }
        }
    }
    return PS_OK;
}

/* Whether two profiles show the same work at two versions. */
static bool fit(const cJSON *base, const cJSON *now, const bool apart[N_BONDS])
{
    return strcmp(ps_member_text(base, "kind"), ps_member_text(now, "kind")) == 0 &&
           strcmp(ps_member_text(base, "id"), ps_member_text(now, "id")) != 0 &&
           (apart[COMMAND] || strcmp(bond_of(base, COMMAND), bond_of(now, COMMAND)) == 0);
}

bool ps_report_find_profiles(struct ps_client *client, const cJSON *compared, char base[PS_ID_SIZE],
                             char now[PS_ID_SIZE], struct ps_err *err)
{
    const cJSON *base_runs = ps_member(compared, "base"), *new_runs = ps_member(compared, "new");
    PS_AUTO(ps_json_free) cJSON *bases = cJSON_CreateArray();
    PS_AUTO(ps_json_free) cJSON *news = cJSON_CreateArray();
    const cJSON *a, *b, *best_a = NULL, *best_b = NULL;
    bool apart[N_BONDS];
    for (enum bond bond = COMMIT; bond < N_BONDS; bond++)
        apart[bond] = tells_apart(base_runs, new_runs, bond);
    if (collect(client, base_runs, apart, bases, err) != PS_OK ||
        collect(client, new_runs, apart, news, err) != PS_OK)
        return false;
    cJSON_ArrayForEach(b, news)
    {
        if (best_b &&
            strcmp(ps_member_text(b, "created_at"), ps_member_text(best_b, "created_at")) <= 0)
            continue;
        const cJSON *newest = NULL;
        cJSON_ArrayForEach(a, bases)
        {
            if (fit(a, b, apart) && (!newest || strcmp(ps_member_text(a, "created_at"),
                                                       ps_member_text(newest, "created_at")) > 0))
                newest = a;
        }
        if (newest)
            best_a = newest, best_b = b;
    }
    (void)snprintf(base, PS_ID_SIZE, "%s", ps_member_text(best_a, "id"));
    (void)snprintf(now, PS_ID_SIZE, "%s", ps_member_text(best_b, "id"));
    return best_b != NULL;
}
