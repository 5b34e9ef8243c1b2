-- Where days begin in a space, and where times of its documents are told: the name of a time zone of the IANA's.
ALTER TABLE space ADD COLUMN time_zone text NOT NULL DEFAULT 'Asia/Tokyo' CHECK (length(time_zone) BETWEEN 1 AND 64);
