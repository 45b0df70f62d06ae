-- Deletes finished jobs, except the newest :keep.
DELETE FROM job WHERE state NOT IN ('queued', 'running')
    AND id <= (SELECT id FROM job WHERE state NOT IN ('queued', 'running') ORDER BY id DESC LIMIT 1 OFFSET :keep);
