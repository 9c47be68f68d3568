// Ids of transactions, and the places and errors of the log, are part of what an inspection says.
@_exported public import VarveEvents
@_exported public import VarveLog
