-- Parts (id, number of rows) of the packed rows of :family and :part with times in [:from, :to).
SELECT id, n FROM packed WHERE family = :family AND part = :part AND end_ns >= :from AND start_ns < :to ORDER BY id
