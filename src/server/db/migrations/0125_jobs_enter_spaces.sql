-- Jobs of a space are let into it like everybody else, so what they write must be allowed to its members' role, too.
GRANT INSERT ON asset_former_uid TO imori_member;
-- Who has a job run again is who asks for it from then on: the rights that count are theirs.
GRANT UPDATE (requested_by) ON job TO imori_member;
