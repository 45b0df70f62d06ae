-- Imports, removals, notes on timelines and calls of tools by AI agents, newest first. An import of an original that the shelf has already is not listed.
SELECT strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at, what, who, name, run, code, text FROM (
    SELECT * FROM (SELECT at, CASE WHEN code IS NULL THEN 'added' ELSE 'failed' END AS what, who, name, run, code, text FROM import_log ORDER BY id DESC LIMIT :limit)
    UNION ALL
    SELECT * FROM (SELECT at, 'removed', who, name, run, NULL, NULL FROM removal_log ORDER BY id DESC LIMIT :limit)
    UNION ALL
    SELECT * FROM (SELECT n.at, 'noted', n.who, r.name, n.run, NULL, n.text FROM timeline_note n JOIN run r ON r.id = n.run ORDER BY n.at DESC LIMIT :limit)
    UNION ALL
    SELECT * FROM (SELECT at, 'called', who, iif(run IS NULL, tool, tool || ' ' || run), NULL, code, text FROM agent_call ORDER BY id DESC LIMIT :limit)
) AS activity ORDER BY activity.at DESC LIMIT :limit;
