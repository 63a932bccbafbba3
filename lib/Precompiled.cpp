// Compiles the precompiled header that every part of the compiler reuses.
