-- Inconsistencies of the catalog: data about missing runs, and wrong counts, tags or search texts.
SELECT 'it has tags of run ' || run || ', which does not exist' FROM tag WHERE run NOT IN (SELECT id FROM run) GROUP BY run
UNION ALL
SELECT 'it has sources of run ' || run || ', which does not exist' FROM source WHERE run NOT IN (SELECT id FROM run UNION ALL SELECT id FROM deleted_run) GROUP BY run
UNION ALL
SELECT 'it has notes on the timeline of run ' || run || ', which does not exist' FROM timeline_note WHERE run NOT IN (SELECT id FROM run UNION ALL SELECT id FROM deleted_run) GROUP BY run
UNION ALL
SELECT 'the role of the token ' || name || ' is unknown: revoke it' FROM token WHERE role NOT IN ('viewer', 'uploader', 'admin')
UNION ALL
SELECT * FROM (
    WITH counted AS (
        SELECT what, key, sum(runs) AS runs, sum(db_bytes) AS db_bytes, sum(bytes) AS bytes FROM run_tally GROUP BY what, key
        UNION ALL SELECT 'tag', k || '=' || v, count(*), 0, 0 FROM tag GROUP BY k, v
        UNION ALL SELECT 'kept', folder, count(*), 0, sum(bytes) FROM kept_size GROUP BY folder
    )
    SELECT 'its count of runs or files is wrong for ' || what || ' ' || key FROM (
        SELECT * FROM (SELECT * FROM counted EXCEPT SELECT * FROM tally)
        UNION ALL SELECT * FROM (SELECT * FROM tally WHERE runs <> 0 EXCEPT SELECT * FROM counted)
    ) GROUP BY what, key
)
UNION ALL
SELECT 'its list of runs is wrong for the tag ' || k || '=' || v FROM (
    SELECT * FROM (SELECT k, v, created_at, seq FROM run_tagged EXCEPT SELECT * FROM tagged)
    UNION ALL SELECT * FROM (SELECT * FROM tagged EXCEPT SELECT k, v, created_at, seq FROM run_tagged)
) GROUP BY k, v
UNION ALL
SELECT 'its search text of run ' || w.id || ' is outdated' FROM run_words w LEFT JOIN run_text t ON t.seq = w.seq WHERE t.text IS NOT w.text;
