-- Packed rows of a family and part with times in a range: id, n.
SELECT id, n FROM packed WHERE family = :family AND part = :part AND end_ns >= :from AND start_ns < :to ORDER BY id
