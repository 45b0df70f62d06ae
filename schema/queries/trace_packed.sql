-- Packed rows with times in a range. :family, :part (0: all), :from_ns, :to_ns
SELECT id, part, n FROM packed
WHERE family = :family AND (:part = 0 OR part = :part) AND start_ns < :to_ns AND end_ns >= :from_ns ORDER BY id;
