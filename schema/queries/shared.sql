-- What a run file that was made to be shared says of itself (:shared): kind, and the perfshelf that wrote it. No JSON: no row.
SELECT :shared ->> 'kind', :shared ->> 'perfshelf' WHERE json_valid(:shared);
