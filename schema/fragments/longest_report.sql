SELECT * FROM report r -- the printed table of the longest profile; of several tables of it, that with the most rows
ORDER BY coalesce(seconds, (SELECT total(tottime_s) FROM function WHERE id BETWEEN r.first AND r.last)) DESC, last - first DESC, id LIMIT 1
