-- Sets :name, :series and :note of the run :id; NULL keeps the value.
UPDATE run SET name = coalesce(:name, name), series = coalesce(:series, series), note = coalesce(:note, note) WHERE id = :id;
