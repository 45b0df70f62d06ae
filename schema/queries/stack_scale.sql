-- Divisor that converts the weights of a stack run to the unit of its headline.
SELECT CASE (SELECT v FROM meta WHERE k = 'headline_unit') WHEN 's' THEN 1e9
       ELSE coalesce((SELECT json_extract(v, '$.value_scale') FROM meta WHERE k = 'summary'), 1) * 1.0 END;
