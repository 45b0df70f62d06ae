SELECT unit, CASE unit WHEN 's' THEN 1e9 ELSE value_scale END AS scale -- unit of the weights of stacks, and the divisor that converts them to it
FROM (SELECT CASE WHEN json_extract(v, '$.byte_stacks') THEN 'B' ELSE coalesce((SELECT v FROM meta WHERE k = 'headline_unit'), '') END AS unit,
             coalesce(json_extract(v, '$.value_scale'), 1) * 1.0 AS value_scale
      FROM (SELECT (SELECT v FROM meta WHERE k = 'summary') AS v))
