-- What the weights of stacks measure: the divisor that converts them to their unit, that unit, and the id of the sample
-- type. Of a run with sample types, that with the name :sample_type, or its default if it is NULL; no row: there is none with
-- that name. Of other runs, with id 0, what the complete run measures.
SELECT scale, unit, id FROM (
    SELECT scale, unit, id, is_default, name FROM sample_type
    UNION ALL
    SELECT scale, unit, 0, 1, NULL FROM (
-- include: stack_unit
    ) WHERE NOT EXISTS (SELECT 1 FROM sample_type)
) WHERE :sample_type IS NULL OR name = :sample_type ORDER BY is_default DESC, id LIMIT 1
