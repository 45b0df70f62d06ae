-- When the run of a label was published, and its place among the runs of its shelf; NULL: it does not say. No label: no row.
SELECT :label ->> 'created_at', :label ->> 'seq' WHERE json_valid(:label);
