-- Runs of the shelf (seq) with the words :q, or without those behind a minus.
SELECT seq FROM run_text WHERE ps_words(:q, text);
