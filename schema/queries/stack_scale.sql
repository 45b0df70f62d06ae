-- What a stack run's weights are divided by to give its headline's unit.
SELECT CASE (SELECT v FROM meta WHERE k = 'headline_unit') WHEN 's' THEN 1e9
       ELSE coalesce((SELECT json_extract(v, '$.value_scale') FROM meta WHERE k = 'summary'), 1) * 1.0 END;
