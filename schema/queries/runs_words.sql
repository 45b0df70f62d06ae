-- Runs (seq) that contain the words :q, and no word that follows a minus.
SELECT seq FROM run_text WHERE ps_words(:q, text);
