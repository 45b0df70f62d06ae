-- Whether the file lacks what the views of ranks read: it is of an earlier layout, or a copy of such a file.
SELECT NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'collective')
       OR (EXISTS (SELECT 1 FROM step WHERE counted) AND NOT EXISTS (SELECT 1 FROM packed WHERE family = 5));
