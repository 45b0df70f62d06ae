-- The id of a place, which is added if it is new.
INSERT INTO place(row, place) VALUES (:row, :place) ON CONFLICT(row, place) DO UPDATE SET row = row RETURNING id;
