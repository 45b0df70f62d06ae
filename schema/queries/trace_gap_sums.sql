-- Sums of all idle gaps by cause, including gaps that are not in the table gap: whether they are gaps of
-- devices; word, ns and number. Versions before 0.3 stored gaps of streams, with other keys.
WITH causes(cause, word, name) AS (VALUES (0, 'host wait', 'host_wait'), (1, 'kernel wait', 'kernel_wait'), (2, 'other', 'other'))
SELECT json_extract(m.v, '$.idle_host_wait') IS NOT NULL, c.word,
       coalesce(json_extract(m.v, '$.idle_' || c.name || '_ns'), json_extract(m.v, '$.gaps_' || c.name || '_ns'), 0),
       coalesce(json_extract(m.v, '$.idle_' || c.name), json_extract(m.v, '$.gaps_' || c.name), 0)
FROM causes c, meta m WHERE m.k = 'summary' ORDER BY c.cause;
