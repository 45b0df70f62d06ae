SELECT kind, count(*) AS runs FROM run GROUP BY kind ORDER BY runs DESC, kind;
