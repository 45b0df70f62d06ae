-- The kind and the headline of the run :id.
SELECT kind, headline_value, headline_unit, headline_label FROM run WHERE id = :id;
