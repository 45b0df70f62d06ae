-- The layout in which the rows of a run file were first written: a copy has what the file had that it was made from.
SELECT coalesce((SELECT v FROM meta WHERE k = 'first_layout'), (SELECT user_version FROM pragma_user_version));
