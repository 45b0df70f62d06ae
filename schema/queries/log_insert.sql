-- Records an import, successful or failed.
INSERT INTO import_log(at, name, who, bytes, sha256, run, code, text, hint, byte_offset, seconds)
VALUES (:at, :name, :who, :bytes, :sha256, :run, :code, :text, :hint, :byte_offset, :seconds);
