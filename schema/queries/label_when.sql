-- Time when the run of a label was published, and its seq on the shelf; NULL if the label does not contain
-- them. No row: :label is not a label.
SELECT :label ->> 'created_at', :label ->> 'seq' WHERE json_valid(:label);
