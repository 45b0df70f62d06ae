-- :name, :series and :note, NULL leaves as it is. :id
UPDATE run SET name = coalesce(:name, name), series = coalesce(:series, series), note = coalesce(:note, note) WHERE id = :id;
