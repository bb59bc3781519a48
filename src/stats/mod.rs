//! Statistics: counts in, numbers out. Knows nothing of awalé, of names of files, or of printing.
