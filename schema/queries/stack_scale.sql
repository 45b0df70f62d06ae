-- What the weights of stacks measure: the divisor that converts them to their unit, that unit, the id of the sample type,
-- its samples, its total, and its name. Of a run with sample types, that with the name :sample_type, or its default if it
-- is NULL; nothing if there is none with that name. Of other runs, with id 0, what the complete run measures.
SELECT scale, unit, id, samples, total, name FROM (
    SELECT scale, unit, id, samples, total, is_default, name FROM sample_type
    UNION ALL
    SELECT scale, unit, 0, NULL, NULL, 1, NULL FROM (
-- include: stack_unit
    ) WHERE NOT EXISTS (SELECT 1 FROM sample_type)
) WHERE :sample_type IS NULL OR name = :sample_type ORDER BY is_default DESC, id LIMIT 1
