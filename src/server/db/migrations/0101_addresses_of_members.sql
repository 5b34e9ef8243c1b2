-- Members' addresses are for those who look after members, unless the space shows them to all.
ALTER TABLE space_security ADD addresses_visible boolean NOT NULL DEFAULT false;
