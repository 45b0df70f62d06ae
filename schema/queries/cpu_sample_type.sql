-- The sample type that is the CPU time of what the type :clock measures by a clock; no row: :clock is itself CPU time, or
-- there is none.
SELECT c.name FROM sample_type w JOIN sample_type c ON c.unit = 's' AND c.name LIKE '%cpu%' AND c.samples > 0
WHERE w.id = :clock AND w.name LIKE '%wall%' ORDER BY c.id LIMIT 1
