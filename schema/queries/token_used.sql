UPDATE token SET used_at = :at WHERE id = :id;
