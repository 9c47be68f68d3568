// Varve
