-- When the run :id was recorded, us since 1970; NULL: unknown.
SELECT json_extract(summary, '$.started_us'), json_extract(summary, '$.ended_us') FROM run WHERE id = :id;
