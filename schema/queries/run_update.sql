-- :name and :series, NULL leaves as it is. :id
UPDATE run SET name = coalesce(:name, name), series = coalesce(:series, series) WHERE id = :id;
