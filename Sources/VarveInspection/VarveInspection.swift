// VarveInspection
