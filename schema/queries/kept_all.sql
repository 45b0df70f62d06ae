-- What is kept for runs, originals and sources where many servers share the shelf.
SELECT folder, key FROM kept WHERE folder IN ('runs', 'originals', 'sources') ORDER BY folder, key;
