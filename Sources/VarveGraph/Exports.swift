@_exported public import VarveEvents
