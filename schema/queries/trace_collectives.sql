-- The collectives of a trace, whether their arguments describe them, and their process groups. `title` is what a
-- person calls the group.
SELECT id, described, name, grp || char(10) || description, iif(description = '', grp, description) AS title, members, group_size
FROM collective ORDER BY id;
