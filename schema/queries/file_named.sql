-- Whether the profile names the file :path: as a file with measured lines or functions, or as part of the name of a
-- frame or slice, `load (app.py:20)` or `app.py(20): load`.
SELECT EXISTS (SELECT 1 FROM line_file WHERE path = :path)
    OR EXISTS (SELECT 1 FROM file WHERE path = :path)
    OR EXISTS (SELECT 1 FROM text
               WHERE instr(text, '(' || :path || ':') OR instr(text, '(' || :path || ')')
                  OR substr(text, 1, length(:path) + 1) IN (:path || ':', :path || '('));
