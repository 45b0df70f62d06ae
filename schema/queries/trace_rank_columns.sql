-- Whether the file has what the views of ranks read. Files of earlier layouts and copies of them do not.
SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'collective')
       AND (NOT EXISTS (SELECT 1 FROM step WHERE counted) OR EXISTS (SELECT 1 FROM packed WHERE family = 5));
