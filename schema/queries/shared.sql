-- Metadata of a run file that was made for sharing (:shared): kind, and the version of perfshelf that wrote
-- it. No row if it is not JSON.
SELECT :shared ->> 'kind', :shared ->> 'perfshelf' WHERE json_valid(:shared);
