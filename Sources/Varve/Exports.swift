@_exported public import VarveGraph
// The errors and reports of the log are part of the store's interface; all else in it is not.
@_exported public import VarveLog
