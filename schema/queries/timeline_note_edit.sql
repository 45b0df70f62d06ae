-- Changes the note :id of :who, or with :any of any user. A parameter that is null changes nothing.
UPDATE timeline_note SET t_ns = coalesce(:t_ns, t_ns), area = coalesce(:area, area), text = coalesce(:text, text)
WHERE run = :run AND id = :id AND (:any OR who = :who);
