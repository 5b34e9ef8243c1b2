-- Members run jobs of their space again that failed or were cancelled.
GRANT UPDATE (failures, run_at) ON job TO imori_member;
