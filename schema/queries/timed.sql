-- Values that `time` printed for each command, one per row.
SELECT CAST(json_extract(more, '$.run') AS INTEGER) AS run, grp, name, value, unit, resolution,
       json_extract(more, '$."exit status"') AS status, json_extract(more, '$."ended by signal"') AS signal
FROM measurement ORDER BY run, id;
