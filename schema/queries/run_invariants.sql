-- Rules for the rows of a run file besides those that the tags in run.sql state (server/runwrite/validate.c): a
-- row with a message for each violated rule.
SELECT 'a header field is not JSON' WHERE EXISTS(SELECT 1 FROM meta WHERE k GLOB 'header.*' AND NOT coalesce(json_valid(v), 0))
UNION ALL
SELECT 'the summary is not a JSON object' WHERE NOT coalesce((SELECT CASE WHEN json_valid(v) THEN json_type(v) = 'object' ELSE 0 END FROM meta WHERE k = 'summary'), 0)
UNION ALL
SELECT 'meta.' || k || ' is written by the shelf' FROM meta WHERE k IN ('kind', 'name', 'created_at', 'sha256', 'bytes', 'label')
UNION ALL
SELECT 'the details of a measurement are not a JSON object'
WHERE EXISTS(SELECT 1 FROM measurement WHERE NOT CASE WHEN json_valid(more) THEN json_type(more) = 'object' ELSE 0 END)
UNION ALL
SELECT 'the parameters of a measurement are not a JSON object'
WHERE EXISTS(SELECT 1 FROM measurement WHERE NOT CASE WHEN parameters IS NULL THEN 1 WHEN json_valid(parameters) THEN json_type(parameters) = 'object' ELSE 0 END)
UNION ALL
SELECT 'a parameter of a measurement is neither a number nor a string'
WHERE EXISTS(SELECT 1 FROM measurement m, json_each(m.parameters) p WHERE p.type NOT IN ('integer', 'real', 'text'))
UNION ALL
SELECT 'a number of samples or calls of a measurement is not a count'
WHERE EXISTS(SELECT 1 FROM measurement WHERE NOT coalesce(n BETWEEN 0 AND 9e15 AND n = CAST(n AS INTEGER), n IS NULL)
                                          OR NOT coalesce(loops BETWEEN 0 AND 9e15 AND loops = CAST(loops AS INTEGER), loops IS NULL))
UNION ALL
SELECT 'a measurement that failed or was skipped has a value' WHERE EXISTS(SELECT 1 FROM measurement WHERE state <> 0 AND value IS NOT NULL)
UNION ALL
SELECT 'the scale of a sample type is not above 0' WHERE EXISTS(SELECT 1 FROM sample_type WHERE NOT coalesce(scale > 0 AND scale < 1e300, 0))
UNION ALL
SELECT 'a run has two default sample types' WHERE (SELECT count(*) FROM sample_type WHERE is_default) > 1
UNION ALL
SELECT 'two sample types have the same name' WHERE EXISTS(SELECT 1 FROM sample_type GROUP BY name HAVING count(*) > 1)
UNION ALL
SELECT 'the properties of a device are not JSON' WHERE EXISTS(SELECT 1 FROM device WHERE json <> '' AND NOT json_valid(json))
UNION ALL
SELECT 'meta.' || k || ' is of another type' FROM meta
WHERE CASE WHEN k IN ('bytes', 'ledger_read', 'ledger_stored', 'ledger_repaired', 'ledger_rejected', 'ledger_other', 'first_layout') THEN typeof(v) <> 'integer'
           WHEN k IN ('headline_value', 'unit_s') THEN typeof(v) NOT IN ('integer', 'real', 'null')
           WHEN k IN ('kind', 'tool', 'tool_version', 'name', 'title', 'created_at', 'sha256', 'summary', 'headline_unit', 'headline_label',
                      'ledger_unit', 'shared', 'label') OR k GLOB 'header.*' THEN typeof(v) NOT IN ('text', 'null') END
UNION ALL
SELECT 'a packed column belongs to no chunk'
WHERE EXISTS(SELECT 1 FROM chunk_column d LEFT JOIN chunk c ON c.id = d.id / 32 WHERE c.id IS NULL)
UNION ALL
SELECT 'a packed column belongs to no packed rows'
WHERE EXISTS(SELECT 1 FROM packed_column d LEFT JOIN packed p ON p.id = d.id / 16 WHERE p.id IS NULL)
UNION ALL
SELECT 'packed rows belong to no series or device'
WHERE EXISTS(SELECT 1 FROM packed p WHERE CASE WHEN p.family = 2 THEN NOT EXISTS(SELECT 1 FROM series s WHERE s.id = p.part)
                                               WHEN p.family BETWEEN 6 AND 8 THEN NOT EXISTS(SELECT 1 FROM snapshot_device d WHERE d.id = p.part)
                                               ELSE p.part <> 0 END)
UNION ALL
SELECT 'a level of detail belongs to no track'
WHERE EXISTS(SELECT 1 FROM pyramid d LEFT JOIN track t ON t.id = d.id / 64 WHERE t.id IS NULL)
UNION ALL
SELECT 'the parameters of a serving result are not a JSON object'
WHERE EXISTS(SELECT 1 FROM serving_result WHERE NOT CASE WHEN json_valid(parameters) THEN json_type(parameters) = 'object' ELSE 0 END)
UNION ALL
SELECT 'the metrics of a serving result are no measurements'
WHERE EXISTS(SELECT 1 FROM serving_result r WHERE r.first > r.last OR r.last > (SELECT coalesce(max(id), 0) FROM measurement));
