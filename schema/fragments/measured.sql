measured AS ( -- what the rows of a tool are. part 1: a further value of what another row measures; alternatives, failed: see measurements.sql
    SELECT m.*,
           CASE of.kind WHEN 'hyperfine' THEN m.grp <> of.first_grp
                        WHEN 'time' THEN of.has_real AND m.name <> 'real'
                        WHEN 'timeit' THEN m.statistic = 'single' AND m.name IN ('user', 'sys', 'total')
                        ELSE m.is_part END AS part,
           CASE of.kind WHEN 'hyperfine' THEN CASE WHEN m.grp = of.first_grp THEN m.grp END
                        WHEN 'time' THEN CASE WHEN m.name = 'real' THEN '' END
                        WHEN 'timeit' THEN CASE WHEN m.statistic <> 'single' OR m.name NOT IN ('user', 'sys', 'total') THEN '' END
                        WHEN 'pytest-benchmark' THEN CASE WHEN m.grp = '' THEN '' ELSE m.grp || ' ' || ps_case_numbers(m.name) END
                        WHEN 'top' THEN ''
                        ELSE CASE WHEN m.is_part THEN NULL WHEN m.grp = '' THEN ''
                                  ELSE m.grp || ' ' || CASE WHEN m.parameters IS NULL THEN ps_case_numbers(m.name) ELSE m.parameters END END END AS alternatives,
           m.state > 0 OR coalesce(max(CASE WHEN m.has_codes THEN m.own_failed END) OVER (PARTITION BY m.name), m.own_failed) AS failed
    FROM (SELECT *, json_extract(more, '$."exit codes"') IS NOT NULL AS has_codes,
                 ps_command_failed(json_extract(more, '$."exit codes"'), json_extract(more, '$."exit status"'),
                                   json_extract(more, '$."ended by signal"')) AS own_failed
          FROM measurement) m
    JOIN (SELECT max(v) FILTER (WHERE k = 'kind') AS kind, (SELECT grp FROM measurement ORDER BY id LIMIT 1) AS first_grp,
                 EXISTS (SELECT 1 FROM measurement WHERE name = 'real') AS has_real FROM meta) of
),
